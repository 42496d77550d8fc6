#include "binding.hpp"

namespace eigenveil::r {

void run_interruptibly(const std::function<void()>& work) {
  run_watched(work, [] {
    const auto look = [](void* /*nothing*/) { R_CheckUserInterrupt(); };
    if (R_ToplevelExec(look, nullptr) == FALSE) {
      throw Interrupted{};
    }
  });
}

}  // namespace eigenveil::r

SEXP at_the_edge(const std::function<SEXP()>& work) {
  using namespace eigenveil;
  const auto refusal = [](const char* kind, const Error& error) {
    cpp11::sexp list = r::named_list({{"code", cpp11::as_sexp(kind)},
                                      {"message", cpp11::as_sexp(error.message)},
                                      {"parameter", cpp11::as_sexp(error.parameter)}});
    list.attr("class") = "eigenveil_refusal";
    return static_cast<SEXP>(list);
  };
  try {
    return work();
  } catch (const r::Failure& failure) {
    return refusal(failure.error.code == ErrorCode::InputOutput ? "input-output" : "bad-request",
                   failure.error);
  } catch (const r::Interrupted&) {
    return refusal("interrupted", {});
  } catch (const nlohmann::json::exception&) {
    return refusal("bad-request",
                   {ErrorCode::BadRequest, "a text that was handed over is not valid UTF-8"});
  }
}

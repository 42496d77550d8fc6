// A request is a value: it has one text, that text reads back, and nothing in it is passed over.
#include "eigenveil/engine/request_json.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "eigenveil/engine/release.hpp"

namespace eigenveil::test::request_json_test {
namespace {

Request sample() {
  Request request;
  request.task = Task::Components;
  request.method = "spiked";
  request.budget = ApproxDp{1.0, 1e-6};
  request.relation = Relation::IndependentCopy;
  request.group_size = 2;
  request.components = 3;
  request.components_given = true;
  request.center = CenterChoice::None;
  request.options.set("sigma2", 0.5);
  request.options.set("max_rank", std::int64_t{4});
  request.options.set("gaussian_rows", true);
  return request;
}

constexpr const char* kText =
    R"({"request":1,"task":"pca","method":"spiked","budget":{"kind":"approx","epsilon":1.0,)"
    R"("delta":1e-06},"neighbours":"independent-copy","group_size":2,"components":3,)"
    R"("center":"none","units":"original","arrives_centred":false,"rank_transform":false,)"
    R"("options":{"gaussian_rows":true,"max_rank":4,"sigma2":0.5},"table":null})";

TEST(RequestJson, HasOneText) {
  EXPECT_EQ(to_json(sample()), kText);
  Request same = sample();
  same.options.set("spread", 1.0);  // the default
  same.options.set("diagnostic", std::string("/home/curator/eyes"));
  EXPECT_EQ(to_json(same), kText) << "a default says nothing, and a private path is no one's";
  EXPECT_EQ(request_hash(same), request_hash(sample()));
  same.options.set("spread", 2.0);
  EXPECT_NE(request_hash(same), request_hash(sample()));
}

/// Saying a default is asking for the same thing.
TEST(RequestJson, ExplicitDefaultsAreTheSameRequest) {
  Request plain = sample();
  plain.components = 1;
  plain.components_given = false;
  Request said = plain;
  said.components_given = true;
  EXPECT_EQ(to_json(said), to_json(plain)) << "-k 1";
  EXPECT_EQ(request_from_json(to_json(said))->components, 1);
  said.components = 2;
  EXPECT_NE(to_json(said), to_json(plain));

  std::size_t defaults = 0;
  for (const Method* method : methods()) {
    for (const OptionSpec& option : method->info().options) {
      Request request;
      request.task = option.tasks.empty() ? method->info().tasks.front() : option.tasks.front();
      request.method = method->info().name;
      request.budget = GaussianDp{1.0};
      const std::string without = to_json(request);
      std::optional<OptionValue> value = option.otherwise;
      if (!value && option.kind == OptionKind::Flag) {
        value = false;
      }
      if (!value && option.kind == OptionKind::Word && option.otherwise_in_words.empty()) {
        value = option.words.front();
      }
      if (value) {
        request.options.set(option.name, *value);
        EXPECT_EQ(to_json(request), without) << request.method << " " << option.name;
        ++defaults;
      }
      if (option.kind == OptionKind::Flag) {
        request.options.set(option.name, true);
        EXPECT_NE(to_json(request), without) << request.method << " " << option.name;
      }
    }
  }
  EXPECT_GT(defaults, 20U);
}

/// No way to a plan passes over what is wrong with a request.
TEST(RequestJson, APlanIsNotMadePastTheChecks) {
  const PublicFacts facts = {Schema::numbered(3), *RowBound::row_norm(3, 1.0)};
  Request sound;
  sound.method = "gauss";
  sound.budget = GaussianDp{1.0};
  sound.center = CenterChoice::None;
  const Method& method = **choose_method(sound);
  const auto refusal = [&](const std::function<void(Request&)>& change) {
    Request request = sound;
    change(request);
    const auto made = make_plan(method, request, facts);
    return made ? std::string() : made.error().parameter;
  };
  EXPECT_EQ(refusal([](Request&) {}), "");
  EXPECT_EQ(refusal([&](Request& r) { r.table = table_fingerprint(facts); }), "");
  EXPECT_EQ(refusal([](Request& r) { r.table = "of another"; }), "table");
  EXPECT_EQ(refusal([](Request& r) { r.options.set("no_such", true); }), "no_such");
  EXPECT_EQ(refusal([](Request& r) { r.options.set("batch", std::int64_t{5}); }), "batch");
  EXPECT_EQ(refusal([](Request& r) { r.options.set("passes", 1.5); }), "passes");
  EXPECT_EQ(refusal([](Request& r) { r.rank_transform = true; }), "rank_transform");
  EXPECT_EQ(refusal([](Request& r) { r.task = Task::Subspace; }), "method");
  EXPECT_EQ(refusal([](Request& r) { r.group_size = 0; }), "group_size");
  EXPECT_EQ(refusal([](Request& r) { r.components = 0; }), "components");
  Request unpaid = sound;
  unpaid.budget.reset();
  EXPECT_FALSE(make_plan(method, unpaid, facts));
}

TEST(RequestJson, ReadsBack) {
  const Result<Request> back = request_from_json(kText);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(to_json(*back), kText);
  EXPECT_EQ(back->components, 3);
  EXPECT_EQ(back->options.find<double>("sigma2"), 0.5);
  for (const Method* method : methods()) {
    for (const Task task : method->info().tasks) {
      Request request;
      request.task = task;
      request.method = method->info().name;
      request.budget = PureDp{0.1};
      const Result<Request> plain = request_from_json(to_json(request));
      ASSERT_TRUE(plain) << plain.error().message;
      EXPECT_EQ(to_json(*plain), to_json(request));
    }
  }
}

TEST(RequestJson, NothingUnknownIsPassedOver) {
  const auto refused = [](const std::string& from, const std::string& to) {
    std::string text = kText;
    text.replace(text.find(from), from.size(), to);
    return !request_from_json(text);
  };
  EXPECT_FALSE(refused("pca", "pca"));
  EXPECT_TRUE(refused("\"request\":1", "\"request\":2"));
  EXPECT_TRUE(refused("pca", "guess"));
  EXPECT_TRUE(refused("\"center\":\"none\"", "\"center\":\"left\""));
  EXPECT_TRUE(refused("\"sigma2\":0.5", "\"sigma2\":-1.0"));
  EXPECT_TRUE(refused("\"sigma2\":0.5", "\"sigma9\":0.5"));
  EXPECT_TRUE(refused("\"sigma2\":0.5", "\"diagnostic\":\"/etc\""));
  EXPECT_TRUE(refused("\"table\":null", "\"table\":null,\"more\":1"));
  EXPECT_TRUE(refused("\"epsilon\":1.0", "\"epsilon\":-1.0"));
  EXPECT_TRUE(refused("\"group_size\":2", "\"group_size\":0"));
  // A library that wraps or cuts numbers would protect fewer rows than were asked for.
  EXPECT_TRUE(refused("\"group_size\":2", "\"group_size\":4294967297"));
  EXPECT_TRUE(refused("\"group_size\":2", "\"group_size\":2.9"));
  EXPECT_TRUE(refused("\"epsilon\":1.0", "\"epsilon\":1.0,\"mu\":2.0"));
  EXPECT_TRUE(refused("\"units\":\"original\",", ""));
  EXPECT_FALSE(request_from_json("[]"));
  EXPECT_FALSE(request_from_json("{"));
}

/// Every face shows a default and checks a range from the same data.
TEST(OptionSpecs, DefaultsPassTheirOwnChecks) {
  std::size_t seen = 0;
  for (const Method* method : methods()) {
    for (const OptionSpec& spec : method->info().options) {
      if (spec.otherwise) {
        EXPECT_TRUE(checked(spec, *spec.otherwise)) << spec.name;
        EXPECT_NE(spec.help().find(spec.default_in_words()), std::string::npos);
        ++seen;
      }
      EXPECT_EQ(spec.sentence.find("default"), std::string::npos)
          << spec.name << ": a default is data, not a sentence";
    }
  }
  EXPECT_GT(seen, 5U);
}

TEST(OptionSpecs, RangesRefuseInWords) {
  const OptionSpec spec{
      .name = "spread", .kind = OptionKind::Number, .sentence = "", .range = {.low = 1.0}};
  EXPECT_TRUE(checked(spec, std::int64_t{1}));
  EXPECT_EQ(checked(spec, 0.5).error().message, "{spread} must be a number of at least 1");
  EXPECT_FALSE(checked(spec, std::numeric_limits<double>::infinity()));
  const OptionSpec share{.name = "share", .kind = OptionKind::Share, .sentence = ""};
  EXPECT_EQ(checked(share, 1.0).error().message, "{share} must be between 0 and 1, both excluded");
}

}  // namespace
}  // namespace eigenveil::test::request_json_test

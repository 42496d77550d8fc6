#include "collection/aggregator.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sodium.h>
#include <sys/file.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "collection/noisy_sum.hpp"
#include "collection/token_list.hpp"
#include "core/atomic_output.hpp"

namespace eigenveil {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kSealingHead = "eigenveil sealing key 1\n";

Result<void> write_sealing_key(const fs::path& path, const hpke::SecretKey& key) {
  std::string text = std::string(kSealingHead) + to_hex(view_of(key.bytes())) + "\n";
  const Result<void> written = write_file_atomically(path, text, FileAccess::OwnerOnly);
  sodium_memzero(text.data(), text.size());
  return written;
}

std::optional<hpke::SecretKey> read_sealing_key(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  std::optional<std::string> bytes;
  if (text.starts_with(kSealingHead) && text.ends_with('\n')) {
    bytes = from_hex(
        std::string_view(text).substr(kSealingHead.size(), text.size() - kSealingHead.size() - 1),
        hpke::kKeyBytes);
  }
  sodium_memzero(text.data(), text.size());
  if (!bytes) {
    return std::nullopt;
  }
  hpke::PublicKey raw = {};
  std::copy_n(bytes->begin(), raw.size(), raw.begin());
  sodium_memzero(bytes->data(), bytes->size());
  return hpke::SecretKey(raw);
}

Result<void> check_owner_only(const std::vector<fs::path>& files) {
  const fs::perms others = fs::perms::group_all | fs::perms::others_all;
  for (const fs::path& file : files) {
    std::error_code missing;
    const fs::file_status status = fs::status(file, missing);
    if (fs::exists(status) && (status.permissions() & others) != fs::perms::none) {
      return bad_request(
          fmt::format("{} is open to other users of this machine: chmod 600", file.string()));
    }
  }
  return {};
}

Result<AcceptedReport> accepted(AddOutcome outcome) {
  switch (outcome) {
    case AddOutcome::Stored:
      return AcceptedReport{false};
    case AddOutcome::Already:
      return AcceptedReport{true};
    case AddOutcome::UnknownToken:
      return bad_request("the code is not one of this study");
    case AddOutcome::TokenUsed:
      return bad_request("the code has been used here for another report; a code works once");
    case AddOutcome::IdUsed:
      return bad_request("another report has this identifier; make a new report");
    default:
      return bad_request("the study is closed and takes no more reports");
  }
}

}  // namespace

Result<FolderLock> FolderLock::take(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return input_output_error(fmt::format("cannot write {}", file.string()));
  }
  FolderLock lock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    return bad_request(fmt::format("another process serves {}: two would draw noise twice",
                                   file.parent_path().string()));
  }
  return lock;
}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

Result<AggregatorCard> AggregatorFolder::make(Role role, const std::string& address) const {
  std::error_code error;
  if (const Result<void> sound = check_address(address); !sound) {
    return error_of(sound);
  }
  if (fs::create_directories(folder, error)) {
    fs::permissions(folder, fs::perms::owner_all, error);
  }
  if (fs::exists(sealing_key(), error) || fs::exists(store(), error)) {
    return bad_request(fmt::format("{} holds another study; every study has a folder of its own",
                                   folder.string()));
  }
  if (!fs::exists(signing_key(), error)) {
    if (const Result<void> saved = SigningKey::make().save(signing_key(), "aggregator"); !saved) {
      return error_of(saved);
    }
  }
  const Result<SigningKey> key = SigningKey::load(signing_key(), "aggregator");
  if (!key) {
    return error_of(key);
  }
  const hpke::SecretKey sealing = hpke::make_key();
  const hpke::PublicKey sealing_public = hpke::public_part(sealing);
  const AggregatorCard made{role, address, key->public_part(), to_hex(view_of(sealing_public))};
  return write_sealing_key(sealing_key(), sealing)
      .and_then([&] { return write_file_atomically(card(), to_json(made)); })
      .map([&] { return made; });
}

Result<Study> AggregatorFolder::countersign(Study study) const {
  const Result<SigningKey> key = SigningKey::load(signing_key(), "aggregator");
  const auto sealing = read_sealing_key(sealing_key());
  if (!key || !sealing) {
    return key ? Result<Study>(input_output_error(
                     fmt::format("{} holds no sealing key for a study", folder.string())))
               : Result<Study>(error_of(key));
  }
  const hpke::PublicKey sealing_public = hpke::public_part(*sealing);
  std::optional<Role> role;
  for (const Role one : {Role::A, Role::B}) {
    const AggregatorCard& card = study.manifest.card(one);
    if (card.signing_key == key->public_part() &&
        card.sealing_key == to_hex(view_of(sealing_public))) {
      role = one;
    }
  }
  if (!role) {
    return bad_request("the study names other keys than those in this folder for both aggregators");
  }
  if (const Result<CollectionPlan> plan = plan_collection(study.manifest); !plan) {
    return error_of(plan);
  }
  (*role == Role::A ? study.signature_a : study.signature_b) = key->sign(study.signed_text(*role));
  return AggregatorStore::create(store(), study, *role).map([&] { return study; });
}

Result<std::unique_ptr<Aggregator>> Aggregator::open(const fs::path& folder,
                                                     std::optional<std::uint64_t> seed) {
  const AggregatorFolder place{folder};
  const Result<void> own =
      check_owner_only({place.signing_key(), place.sealing_key(), place.store()});
  Result<FolderLock> lock = FolderLock::take(place.lock());
  if (!own || !lock) {
    return own ? error_of(lock) : error_of(own);
  }
  Result<SigningKey> key = SigningKey::load(place.signing_key(), "aggregator");
  if (!key) {
    return error_of(key);
  }
  Result<std::unique_ptr<AggregatorStore>> store = AggregatorStore::open(place.store());
  if (!store) {
    return error_of(store);
  }
  const Study& study = (*store)->study();
  const Role role = (*store)->role();
  if (!study.signature(role) ||
      !signature_holds(key->public_part(), study.signed_text(role), *study.signature(role))) {
    return bad_request("the study in the store is not one that this aggregator signed");
  }
  Result<CollectionPlan> plan = plan_collection(study.manifest);
  if (!plan) {
    return error_of(plan);
  }
  std::unique_ptr<Aggregator> made(
      new Aggregator(folder, std::move(*lock), std::move(*store), std::move(*key), std::move(*plan),
                     seed ? RandomStream::seeded(*seed) : RandomStream::secure()));
  return made->load_sealing_key().map([&] { return std::move(made); });
}

/// A study that has ended needs none: what a crash left of the key goes now.
Result<void> Aggregator::load_sealing_key() {
  const CollectionState state = store_->state();
  if (state == CollectionState::Closed || state == CollectionState::Failed) {
    destroy_sealing_key();
    return {};
  }
  sealing_key_ = read_sealing_key(folder_.sealing_key());
  const bool fits = sealing_key_ && to_hex(view_of(hpke::public_part(*sealing_key_))) ==
                                        study().manifest.card(role()).sealing_key;
  if (!fits) {
    return bad_request("the sealing key of the study is missing or another one: no report opens");
  }
  return {};
}

Result<void> Aggregator::add_tokens(std::string_view list) {
  return read_token_list(study(), role(), list).and_then([&](const std::vector<Digest>& hashes) {
    return store_->add_tokens(hashes);
  });
}

Result<OpenedReport> Aggregator::opened(const ReportMessage& message) const {
  std::optional<hpke::SecretKey> key;
  {
    const std::lock_guard lock(key_mutex_);
    key = sealing_key_;
  }
  if (!key) {
    return bad_request("the study is closed and takes no more reports");
  }
  const std::string info = study().sealing_info(store_->role());
  const std::string associated = message.associated();
  const Result<std::string> plaintext = hpke::open(*key, {info, associated}, message.sealed);
  if (!plaintext) {
    return bad_request(
        "the report does not open: it was sealed for another aggregator, study or token, or "
        "damaged on its way");
  }
  return read_plaintext(study().manifest, store_->role(), message.id, *plaintext);
}

Result<AcceptedReport> Aggregator::accept(std::string_view bytes) {
  const Result<ReportMessage> message = decode_report(bytes);
  if (!message) {
    return error_of(message);
  }
  if (message->role != role()) {
    return bad_request("this half of the report is for the other aggregator");
  }
  if (message->study != study().digest) {
    return bad_request("the report belongs to another study, or to another version of this one");
  }
  if (bytes.size() != report_bytes(study().manifest, role())) {
    return bad_request("the report has not the size this study asks for");
  }
  StoredReport report;
  report.id = message->id;
  report.token = token_hash(message->study, message->token);
  report.message = sha256(bytes);
  const Result<AddOutcome> outlook = store_->look(report.id, report.token, report.message);
  if (!outlook) {
    return error_of(outlook);
  }
  if (*outlook != AddOutcome::Stored) {
    return accepted(*outlook);
  }
  if (study().is_past_deadline()) {
    return bad_request("the deadline of the study has passed");
  }
  const Result<OpenedReport> inside = opened(*message);
  if (!inside) {
    return error_of(inside);
  }
  report.commitment = inside->commitment;
  report.sealed = bytes;
  return store_->add(std::move(report)).and_then(accepted);
}

Result<std::string> Aggregator::noisy_sum(const AggregatorStore::Each& each) {
  ShareVector total(study().manifest.entries(), 0);
  std::vector<ListedReport> members;
  const Result<void> summed = each([&](const StoredReport& report) -> Result<void> {
    return decode_report(report.sealed)
        .and_then([&](const ReportMessage& message) { return opened(message); })
        .and_then([&](const OpenedReport& inside) {
          return share_of(study().manifest, role(), inside.payload);
        })
        .map([&](const ShareVector& share) {
          add_to(total, share);
          members.push_back({report.id, report.commitment});
        });
  });
  if (!summed) {
    return error_of(summed);
  }
  if (std::ssize(members) < study().manifest.minimum_batch) {
    return bad_request("fewer reports than the study's minimum: nothing is released");
  }
  const std::vector<std::int64_t> noise = plan_.aggregator_noise(stream_);
  for (std::size_t i = 0; i < total.size(); ++i) {
    total[i] += static_cast<UInt128>(static_cast<Int128>(noise[i]));
  }
  const std::size_t count = members.size();
  return to_json(NoisySum{role(), set_hash(std::move(members)), count, stream_.is_secure(), total},
                 study(), signing_key_);
}

Result<void> Aggregator::draw_and_close() {
  const std::lock_guard lock(closing_);
  return store_->close([&](const AggregatorStore::Each& each) { return noisy_sum(each); }).map([&] {
    destroy_sealing_key();
  });
}

void Aggregator::destroy_sealing_key() {
  {
    const std::lock_guard lock(key_mutex_);
    sealing_key_.reset();
  }
  const fs::path path = folder_.sealing_key();
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file >= 0) {  // overwritten as far as the file system lets us, then removed
    const std::string blank(kSealingHead.size() + 2 * hpke::kKeyBytes + 1, '0');
    [[maybe_unused]] const auto written = ::write(file, blank.data(), blank.size());
    ::fsync(file);
    ::close(file);
  }
  std::error_code ignored;
  fs::remove(path, ignored);
}

}  // namespace eigenveil

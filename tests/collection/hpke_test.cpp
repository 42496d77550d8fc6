#include "collection/hpke.hpp"

#include <gtest/gtest.h>

#include "collection/study.hpp"

namespace eigenveil::test::hpke_test {
namespace {

hpke::PublicKey key(std::string_view hex_text) {
  const auto bytes = from_hex(hex_text, hpke::kKeyBytes);
  hpke::PublicKey made = {};
  std::copy_n(bytes.value().begin(), made.size(), made.begin());
  return made;
}

std::string bytes(std::string_view hex_text) {
  return from_hex(hex_text, hex_text.size() / 2).value();
}

/// RFC 9180, appendix A.1.1, sequence number 0.
constexpr std::string_view kInfo = "4f6465206f6e2061204772656369616e2055726e";
constexpr std::string_view kEphemeral =
    "52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736";
constexpr std::string_view kEnclosure =
    "37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431";
constexpr std::string_view kReceiver =
    "4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8";
constexpr std::string_view kReceiverPublic =
    "3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d";
constexpr std::string_view kAssociated = "436f756e742d30";
constexpr std::string_view kPlaintext =
    "4265617574792069732074727574682c20747275746820626561757479";
constexpr std::string_view kCiphertext =
    "f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a";

TEST(Hpke, VectorsOfTheRfc) {
  const hpke::SecretKey receiver(key(kReceiver));
  EXPECT_EQ(hpke::public_part(receiver), key(kReceiverPublic));
  EXPECT_EQ(hpke::public_part(hpke::SecretKey(key(kEphemeral))), key(kEnclosure));
  const std::string info = bytes(kInfo);
  const std::string associated = bytes(kAssociated);
  const auto sealed = hpke::seal_with(hpke::SecretKey(key(kEphemeral)), key(kReceiverPublic),
                                      {info, associated}, bytes(kPlaintext));
  ASSERT_TRUE(sealed);
  EXPECT_EQ(to_hex(*sealed), std::string(kEnclosure) + std::string(kCiphertext));
  EXPECT_EQ(hpke::open(receiver, {info, associated}, *sealed).value(), bytes(kPlaintext));
}

TEST(Hpke, NothingElseOpens) {
  const hpke::SecretKey receiver = hpke::make_key();
  const std::string sealed =
      hpke::seal(hpke::public_part(receiver), {"study a", "id"}, "a share").value();
  EXPECT_EQ(hpke::open(receiver, {"study a", "id"}, sealed).value(), "a share");
  EXPECT_FALSE(hpke::open(receiver, {"study b", "id"}, sealed));
  EXPECT_FALSE(hpke::open(receiver, {"study a", "another"}, sealed));
  EXPECT_FALSE(hpke::open(hpke::make_key(), {"study a", "id"}, sealed));
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string damaged = sealed;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_FALSE(hpke::open(receiver, {"study a", "id"}, damaged)) << i;
    EXPECT_FALSE(hpke::open(receiver, {"study a", "id"}, std::string_view(sealed).substr(0, i)));
  }
}

TEST(Hpke, PointsOfSmallOrderAreRefused) {
  EXPECT_FALSE(hpke::seal(hpke::PublicKey{}, {"", ""}, "x"));
  const std::string zero(hpke::kEnclosureBytes + hpke::kTagBytes, '\0');
  EXPECT_FALSE(hpke::open(hpke::make_key(), {"", ""}, zero));
}

TEST(Hpke, EveryMessageHasAnEphemeralKeyOfItsOwn) {
  const hpke::PublicKey receiver = hpke::public_part(hpke::make_key());
  EXPECT_NE(hpke::seal(receiver, {"", ""}, "x").value(),
            hpke::seal(receiver, {"", ""}, "x").value());
}

}  // namespace
}  // namespace eigenveil::test::hpke_test

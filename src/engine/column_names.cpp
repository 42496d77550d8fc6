#include "engine/column_names.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace eigenveil {
namespace {

constexpr bool is_lower(char letter) {
  return letter >= 'a' && letter <= 'z';
}
constexpr bool is_upper(char letter) {
  return letter >= 'A' && letter <= 'Z';
}
constexpr bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

/// Lower case words with a blank on both sides of each.
std::string words_of(std::string_view column) {
  std::string words = " ";
  char before = ' ';
  for (const char letter : column) {
    const bool begins = is_upper(letter) && is_lower(before);
    if (begins && words.back() != ' ') {
      words += ' ';
    }
    if (is_lower(letter) || is_digit(letter) || static_cast<unsigned char>(letter) >= 0x80) {
      words += letter;
    } else if (is_upper(letter)) {
      words += static_cast<char>(letter - 'A' + 'a');
    } else if (words.back() != ' ') {
      words += ' ';
    }
    before = letter;
  }
  return words.back() == ' ' ? words : words + ' ';
}

template <std::size_t N>
bool has_one_of(std::string_view column, const std::array<std::string_view, N>& phrases) {
  const std::string words = words_of(column);
  return std::any_of(phrases.begin(), phrases.end(), [&](std::string_view phrase) {
    return words.find(" " + std::string(phrase) + " ") != std::string::npos;
  });
}

constexpr std::array<std::string_view, 54> kIdentifiers = {"id",
                                                           "ids",
                                                           "identifier",
                                                           "uuid",
                                                           "guid",
                                                           "ssn",
                                                           "social security",
                                                           "nhs",
                                                           "mrn",
                                                           "medical record",
                                                           "record no",
                                                           "record number",
                                                           "patient no",
                                                           "patient nr",
                                                           "patient number",
                                                           "person no",
                                                           "person number",
                                                           "passport",
                                                           "insurance",
                                                           "insurance no",
                                                           "licence",
                                                           "license",
                                                           "iban",
                                                           "account number",
                                                           "surname",
                                                           "first name",
                                                           "last name",
                                                           "full name",
                                                           "given name",
                                                           "family name",
                                                           "maiden name",
                                                           "firstname",
                                                           "lastname",
                                                           "fullname",
                                                           "username",
                                                           "email",
                                                           "e mail",
                                                           "phone",
                                                           "telephone",
                                                           "tel",
                                                           "mobile",
                                                           "dob",
                                                           "birth date",
                                                           "birthdate",
                                                           "date of birth",
                                                           "birthday",
                                                           "address",
                                                           "postcode",
                                                           "post code",
                                                           "postal code",
                                                           "zip",
                                                           "zip code",
                                                           "zipcode",
                                                           "fax"};

constexpr std::array<std::string_view, 13> kRepeats = {
    "visit",    "visits",      "encounter",    "encounters", "admission", "admissions", "episode",
    "episodes", "appointment", "appointments", "wave",       "date",      "timestamp"};

}  // namespace

bool names_an_identifier(std::string_view column) {
  // "name" alone is one; "brand name" or "name of the clinic" says nothing of a person.
  return words_of(column) == " name " || words_of(column) == " user name " ||
         has_one_of(column, kIdentifiers);
}

bool names_a_repeat(std::string_view column) {
  return !names_an_identifier(column) && has_one_of(column, kRepeats);
}

}  // namespace eigenveil

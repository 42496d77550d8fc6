// What names of columns suggest: whole words of them, however they are joined.
#include "engine/column_names.hpp"

#include <gtest/gtest.h>

namespace eigenveil::test::column_names_test {
namespace {

TEST(ColumnNames, IdentifiersAreKnownByTheirWords) {
  for (const char* name : {"id", "patient_id", "PatientID id", "patientId", "MRN", "NHS number",
                           "date of birth", "date_of_birth", "DOB", "surname", "Last Name", "name",
                           "e-mail", "postcode", "zip code", "patient no.", "IBAN"}) {
    EXPECT_TRUE(names_an_identifier(name)) << name;
    EXPECT_FALSE(names_a_repeat(name)) << name;
  }
  for (const char* name :
       {"width", "idea", "brand_name", "unidentified", "question_1", "zipf", "paid", "age", ""}) {
    EXPECT_FALSE(names_an_identifier(name)) << name;
  }
}

TEST(ColumnNames, WhatComesSeveralTimesIsKnown) {
  for (const char* name : {"visit", "visit_date", "Wave", "admissionDate", "timestamp"}) {
    EXPECT_TRUE(names_a_repeat(name)) << name;
  }
  for (const char* name : {"reaction_time", "update", "invisit", "waveform"}) {
    EXPECT_FALSE(names_a_repeat(name)) << name;
  }
}

}  // namespace
}  // namespace eigenveil::test::column_names_test

#include "replay/address_form.h"

#include <catch2/catch.hpp>

using namespace ptosync::replay;

TEST_CASE("address form: a sum of addresses leads into one argument or to no place that is known") {
  const AddressForm p = addressOf(0), q = addressOf(1);
  CHECK(p.place() == 0u);
  CHECK(sumOf(p, -1, q).place() == std::nullopt);
  CHECK(sumOf(sumOf(p, -1, q), 1, q) == p);
  CHECK(sumOf(p, -1, p).plain());
  CHECK(sumOf(p, 1, p).place() == std::nullopt);
  CHECK(sumOf(sumOf({}, 2, p), -1, p) == p);
  CHECK(sumOf(p, 0, q) == p);
  CHECK(sumOf(p, -1, q).arguments() == std::set<std::uint32_t>{0, 1});
}

TEST_CASE("address form: what is computed from an address may be any place") {
  const AddressForm p = addressOf(0), q = addressOf(1);
  const AddressForm half = computedFrom(p, {});
  CHECK(half.place() == std::nullopt);
  CHECK_FALSE(half.isSum());
  CHECK(half.arguments() == std::set<std::uint32_t>{0});
  CHECK(sumOf(q, 1, half).place() == std::nullopt);
  CHECK(sumOf(q, 1, half).arguments() == std::set<std::uint32_t>{0, 1});
  AddressForm outside;
  outside.outside = true;
  CHECK_FALSE(outside.plain());
  CHECK(sumOf(q, 1, outside).place() == std::nullopt);
}

TEST_CASE("address form: what is made from differences says how addresses lie to each other") {
  const AddressForm p = addressOf(0), q = addressOf(1);
  CHECK(sumOf(p, -1, q).isRelative());
  CHECK_FALSE(p.isRelative());
  CHECK(computedFrom(sumOf(p, -1, q), {}).isRelative());
  CHECK_FALSE(computedFrom(p, q).isRelative());
  CHECK_FALSE(sumOf(q, 1, computedFrom(sumOf(p, -1, q), {})).isRelative());
  CHECK(sumOf({}, 4, computedFrom(sumOf(p, -1, q), {})).isRelative());
}

TEST_CASE("address form: equal forms have one number") {
  AddressForms forms;
  const AddressForm p = addressOf(0);
  CHECK(forms(AddressForm{}) == 0);
  const std::uint32_t number = forms(p);
  CHECK(number != 0);
  CHECK(forms(p) == number);
  CHECK(forms[number] == p);
  CHECK(forms[0].plain());
}

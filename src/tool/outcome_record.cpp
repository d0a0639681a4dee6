#include "tool/outcome_record.h"

#include <nlohmann/json.hpp>

#include <concepts>
#include <map>
#include <set>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ptosync {
namespace {

using Record = nlohmann::ordered_json; // cells keep the order of their keys

template <typename Type, typename Named>
concept Is = std::same_as<std::remove_const_t<Type>, Named>;

// The members of each structure. What is bound and not returned is not kept.

template <Is<KernelOutcome> T> auto membersOf(T &of) {
  auto &[problem, exitCode, text, changed, notes, summary, diff, report, page, certificate, change, row, reads,
         editsMet, scan, input, mayBeKept] = of;
  return std::tie(problem, exitCode, text, changed, notes, summary, diff, report, page, certificate, change, row,
                  editsMet, scan);
}
template <Is<AuditedFile> T> auto membersOf(T &of) {
  auto &[name, scanName, arch, archSource, archChoice, problem, libraryUse, result, lowest, inBaseline, notNew, fixes,
         hashes, source, mayBeKept] = of;
  return std::tie(name, scanName, arch, archSource, archChoice, problem, libraryUse, result, lowest, inBaseline, notNew,
                  fixes, hashes);
}
template <Is<TableRow> T> auto membersOf(T &of) {
  auto &[cells, page, eventful, details] = of;
  return std::tie(cells, page, eventful, details);
}
template <Is<SarifResult> T> auto membersOf(T &of) {
  auto &[rule, severity, file, message, place, related, path, fingerprintName, fingerprint, lineHash, fixText, fix] =
      of;
  return std::tie(rule, severity, file, message, place, related, path, fingerprintName, fingerprint, lineHash, fixText,
                  fix);
}
template <Is<FindingPlace> T> auto membersOf(T &of) {
  auto &[line, column, endLine, endColumn] = of;
  return std::tie(line, column, endLine, endColumn);
}
template <Is<FindingNote> T> auto membersOf(T &of) {
  auto &[place, text] = of;
  return std::tie(place, text);
}
template <Is<FindingFix> T> auto membersOf(T &of) {
  auto &[replacements] = of;
  return std::tie(replacements);
}
template <Is<FindingFix::Replacement> T> auto membersOf(T &of) {
  auto &[region, text] = of;
  return std::tie(region, text);
}
template <Is<Finding> T> auto membersOf(T &of) {
  auto &[rule, place, message, notes, path, kernel, section, demotion, parts, severity, fingerprint] = of;
  return std::tie(rule, place, message, notes, path, kernel, section, demotion, parts, severity, fingerprint);
}
template <Is<AuditResult> T> auto membersOf(T &of) {
  auto &[findings, kernels, skipped, notJudged, notProved, unknownCalls] = of;
  return std::tie(findings, kernels, skipped, notJudged, notProved, unknownCalls);
}
template <Is<SkippedInAudit> T> auto membersOf(T &of) {
  auto &[kernel, reason, line] = of;
  return std::tie(kernel, reason, line);
}
template <Is<UnknownCall> T> auto membersOf(T &of) {
  auto &[name, lines] = of;
  return std::tie(name, lines);
}
template <Is<LibraryUse> T> auto membersOf(T &of) {
  auto &[library, directory, sameAs, standing, counted, unproved, assumed] = of;
  return std::tie(library, directory, sameAs, standing, counted, unproved, assumed);
}
template <Is<LibraryUse::Calls> T> auto membersOf(T &of) {
  auto &[name, lines, reliedOn] = of;
  return std::tie(name, lines, reliedOn);
}
template <Is<LibraryUse::Unproved> T> auto membersOf(T &of) {
  auto &[name, lines, absent, insideLost] = of;
  return std::tie(name, lines, absent, insideLost);
}

// Each kind of value, to a record and back.

template <typename T> struct Packer;

template <typename T> Record pack(const T &value) { return Packer<T>::pack(value); }
template <typename T> bool unpack(const Record &record, T &value) { return Packer<T>::unpack(record, value); }

template <> struct Packer<Record> {
  static Record pack(const Record &value) { return value; }
  static bool unpack(const Record &record, Record &value) {
    value = record;
    return true;
  }
};

template <> struct Packer<std::string> {
  static Record pack(const std::string &value) { return value; }
  static bool unpack(const Record &record, std::string &value) {
    if (!record.is_string())
      return false;
    value = record.get_ref<const std::string &>();
    return true;
  }
};

template <> struct Packer<bool> {
  static Record pack(bool value) { return value; }
  static bool unpack(const Record &record, bool &value) {
    if (!record.is_boolean())
      return false;
    value = record.get<bool>();
    return true;
  }
};

template <std::integral T> struct Packer<T> {
  static Record pack(T value) { return value; }
  static bool unpack(const Record &record, T &value) {
    if (!record.is_number_integer())
      return false;
    value = record.get<T>();
    return true;
  }
};

template <typename T>
  requires std::is_enum_v<T>
struct Packer<T> {
  static Record pack(T value) { return static_cast<int>(value); }
  static bool unpack(const Record &record, T &value) {
    int number = 0;
    if (!ptosync::unpack(record, number))
      return false;
    value = static_cast<T>(number);
    return true;
  }
};

/// Of containers: the elements in order.
template <typename T, typename Add> bool unpackElements(const Record &record, Add add) {
  if (!record.is_array())
    return false;
  for (const Record &element : record) {
    T value;
    if (!unpack(element, value))
      return false;
    add(std::move(value));
  }
  return true;
}

template <typename T> Record packElements(const T &values) {
  Record record = Record::array();
  for (const auto &value : values)
    record.push_back(pack(value));
  return record;
}

template <typename T> struct Packer<std::vector<T>> {
  static Record pack(const std::vector<T> &values) { return packElements(values); }
  static bool unpack(const Record &record, std::vector<T> &values) {
    values.clear();
    return unpackElements<T>(record, [&](T &&value) { values.push_back(std::move(value)); });
  }
};

template <typename T> struct Packer<std::set<T>> {
  static Record pack(const std::set<T> &values) { return packElements(values); }
  static bool unpack(const Record &record, std::set<T> &values) {
    return unpackElements<T>(record, [&](T &&value) { values.insert(std::move(value)); });
  }
};

template <typename Key, typename T> struct Packer<std::map<Key, T>> {
  static Record pack(const std::map<Key, T> &values) {
    Record record = Record::array();
    for (const auto &[key, value] : values)
      record.push_back(Record::array({ptosync::pack(key), ptosync::pack(value)}));
    return record;
  }
  static bool unpack(const Record &record, std::map<Key, T> &values) {
    if (!record.is_array())
      return false;
    for (const Record &element : record) {
      Key key;
      if (!element.is_array() || element.size() != 2 || !ptosync::unpack(element[0], key) ||
          !ptosync::unpack(element[1], values[key]))
        return false;
    }
    return true;
  }
};

template <typename T> struct Packer<std::optional<T>> {
  static Record pack(const std::optional<T> &value) {
    Record record = Record::array();
    if (value)
      record.push_back(ptosync::pack(*value));
    return record;
  }
  static bool unpack(const Record &record, std::optional<T> &value) {
    if (!record.is_array() || record.size() > 1)
      return false;
    value.reset();
    return record.empty() || ptosync::unpack(record[0], value.emplace());
  }
};

template <typename T>
  requires requires(T &value) { membersOf(value); }
struct Packer<T> {
  static Record pack(const T &value) {
    Record record = Record::array();
    std::apply([&](const auto &...members) { (record.push_back(ptosync::pack(members)), ...); }, membersOf(value));
    return record;
  }
  static bool unpack(const Record &record, T &value) {
    auto members = membersOf(value);
    if (!record.is_array() || record.size() != std::tuple_size_v<decltype(members)>)
      return false;
    std::size_t next = 0;
    return std::apply([&](auto &...each) { return (ptosync::unpack(record[next++], each) && ...); }, members);
  }
};

template <typename T> std::string recordText(const T &value) {
  std::string text;
  Record::to_cbor(pack(value), text);
  return text;
}

template <typename T> std::optional<T> readRecord(llvm::StringRef text) {
  const Record record = Record::from_cbor(text.begin(), text.end(), /*strict=*/true, /*allow_exceptions=*/false);
  T value;
  if (record.is_discarded() || !unpack(record, value))
    return std::nullopt;
  return value;
}

} // namespace

std::string recordOf(const KernelOutcome &outcome) { return recordText(outcome); }
std::string recordOf(const AuditedFile &file) { return recordText(file); }
std::optional<KernelOutcome> outcomeFrom(llvm::StringRef record) { return readRecord<KernelOutcome>(record); }
std::optional<AuditedFile> auditedFrom(llvm::StringRef record) { return readRecord<AuditedFile>(record); }

} // namespace ptosync

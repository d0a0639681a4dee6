#include "tool/profile_step.h"

#include "replay/run/evaluator.h"
#include "replay/choose/run_choice.h"

#include <algorithm>
#include <optional>

namespace ptosync {
namespace {

using timing::CoreProfile;
using timing::KernelTiming;

/// The kind of core whose profile goes with a core's program, if there is one; a text without sections runs on
/// whichever was recorded.
std::optional<Section> recordedSection(const ReadProfiles &profiles, const KernelTiming &timing) {
  Section section = timing.subject().kernel.section;
  for (Section each : {Section::Vec, Section::Cube})
    if ((section == each || section == Section::Both) && profiles.profiles.count(each))
      return each;
  return std::nullopt;
}

const CoreProfile *profileOf(const ReadProfiles &profiles, const KernelTiming &timing) {
  std::optional<Section> section = recordedSection(profiles, timing);
  return section ? &profiles.profiles.at(*section) : nullptr;
}

/// What of the cores of one kernel does not fit; empty: nothing, or there is no profile of any.
struct Misfit {
  const KernelTiming *timing = nullptr;
  std::vector<timing::SyncDifference> differences;
};

std::optional<Misfit> misfit(const ReadProfiles &profiles, const std::vector<KernelTiming> &cores, bool &any) {
  for (const KernelTiming &core : cores)
    if (const CoreProfile *profile = profileOf(profiles, core)) {
      any = true;
      std::vector<timing::SyncDifference> differences = timing::syncDifferences(*profile, core);
      if (!differences.empty())
        return Misfit{&core, std::move(differences)};
    }
  return std::nullopt;
}

std::vector<std::string> argumentNames(const KernelTiming &timing) {
  std::vector<std::string> names;
  for (const replay::NamedArgument &argument : replay::argumentsOf(timing.subject()))
    if (!argument.pointer)
      names.push_back(argument.name);
  return names;
}

class ProfileLayer {
public:
  ProfileLayer(LaidProfile &laid, const Machine &machine, const replay::Options &replay, const timing::CostTable &costs)
      : laid(laid), machine(machine), replay(replay), costs(costs) {}

  /// The cores of one kernel.
  void add(std::vector<KernelTiming> cores) {
    bool any = false, found = false;
    std::optional<Misfit> wrong = misfit(laid.profiles, cores, any);
    if (wrong && replay.arguments.empty() && !timing::hasNoFlags(*profileOf(laid.profiles, *wrong->timing)))
      if (std::optional<std::vector<KernelTiming>> other = otherRun(cores)) {
        wrong.reset();
        found = true;
        cores = std::move(*other);
      }
    if (!any)
      return;
    if (wrong) {
      const KernelTiming &timing = *wrong->timing;
      if (reason.empty() || wrong->differences.size() < fewest) {
        fewest = wrong->differences.size();
        reason = otherKernelText(*profileOf(laid.profiles, timing), timing.estimate(), wrong->differences,
                                 argumentNames(timing));
      }
      return;
    }
    for (KernelTiming &core : cores) {
      runFound.push_back(found);
      laid.timings.push_back(std::move(core));
    }
  }

  llvm::Error finish() {
    for (std::size_t i = 0; i < laid.timings.size(); ++i) {
      const KernelTiming &timing = laid.timings[i];
      std::optional<Section> section = recordedSection(laid.profiles, timing);
      if (!section)
        continue;
      const Kernel &kernel = timing.subject().kernel;
      const CoreProfile &profile = laid.profiles.profiles.at(*section);
      laid.timed.push_back(i);
      laid.kernels.push_back({kernel.name, replay::describe(timing.inputs(), kernel), kernel.section, runFound[i],
                              &profile, laid.profiles.others[*section], timing::compareProfile(profile, timing)});
    }
    if (!laid.kernels.empty())
      return llvm::Error::success();
    return llvm::createStringError(reason.empty() ? "--profile: none of its cores goes with a section of the kernel"
                                                  : reason);
  }

private:
  std::optional<std::vector<KernelTiming>> otherRun(const std::vector<KernelTiming> &cores) {
    std::vector<std::pair<const Kernel *, const CoreProfile *>> recorded;
    std::vector<const Kernel *> kernels;
    for (const KernelTiming &core : cores) {
      kernels.push_back(&core.subject().kernel);
      if (const CoreProfile *profile = profileOf(laid.profiles, core))
        recorded.emplace_back(&core.subject().kernel, profile);
    }
    std::optional<replay::Inputs> inputs = timing::findRun(recorded, machine, replay, costs);
    if (!inputs)
      return std::nullopt;
    return timing::timeCores(kernels, machine, replay, costs, inputs);
  }

  LaidProfile &laid;
  const Machine &machine;
  const replay::Options &replay;
  const timing::CostTable &costs;
  std::vector<bool> runFound; // by timing
  std::string reason;
  std::size_t fewest = 0;
};

} // namespace

llvm::Expected<std::unique_ptr<LaidProfile>> layProfile(const TimelineCommandOptions &asked,
                                                        std::vector<KernelTiming> timings, const Machine &machine,
                                                        const replay::Options &replay, const timing::CostTable &costs) {
  llvm::Expected<ProfileFolder> folder = profileFolder(asked.profile);
  if (!folder)
    return folder.takeError();
  auto laid = std::make_unique<LaidProfile>();
  llvm::Expected<ReadProfiles> profiles =
      readProfiles(*folder, asked.profileCores, costs.clockMHz(), !asked.trace.empty());
  if (!profiles)
    return profiles.takeError();
  laid->profiles = std::move(*profiles);
  ProfileLayer layer(*laid, machine, replay, costs);
  for (std::size_t begin = 0, end = 0; begin < timings.size(); begin = end) { // the cores of a kernel stand together
    std::vector<KernelTiming> cores;
    const std::string name = timings[begin].subject().kernel.name;
    for (end = begin; end < timings.size() && timings[end].subject().kernel.name == name; ++end)
      cores.push_back(std::move(timings[end]));
    layer.add(std::move(cores));
  }
  if (llvm::Error error = layer.finish())
    return std::move(error);
  return laid;
}

} // namespace ptosync

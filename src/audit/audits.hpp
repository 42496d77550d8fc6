#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/attack.hpp"
#include "eigenveil/core/result.hpp"

namespace eigenveil {

/// What of an AuditRequest the attacks on a method look at, beside budget and setting.
struct AuditTakes {
  bool dimension = false;
  bool rows = false;
  bool private_mean = false;
  bool variance_share = false;
};

/// One method under attack: the only list of audits, which program and Python package both show.
struct AuditedMethod {
  std::string name;
  std::string summary;
  Budget budget;                    ///< at which attacks show most for their runs
  std::uint64_t runs = 200'000;     ///< on each table: every mutant within reach falls
  std::vector<Relation> relations;  ///< its default first
  bool bounds_rows = true;          ///< units and groups make sense
  Result<std::vector<Attack>> (*attacks)(const AuditRequest& request) = nullptr;
  AuditTakes takes = {};

  /// Every relation with rows of norm 1; the first also with other units and with groups of two.
  std::vector<AttackSetting> settings() const;
};
const std::vector<AuditedMethod>& audited_methods();
/// A refusal names them all.
Result<AuditedMethod> find_audit(std::string_view name);

/// The request of a method as a user may leave it open.
AuditRequest default_request(const AuditedMethod& method);

/// What one attack came to.
struct Finding {
  std::string setting;
  AuditResult result;
  AttackKind kind = AttackKind::Shipped;
  std::uint64_t needed = 0;  ///< runs that are sure to refute it; 0 where nobody knows
  std::string out_of_reach;

  bool is_mutant() const { return kind == AttackKind::Mutant; }
  std::string verdict() const;
  /// A shipped claim refuted, or a mutant that was within reach and was not.
  bool wrong() const;
};

/// Every bound is right with confidence 99.9%.
inline constexpr double kAttackError = 1e-3;

/// All attacks on a method, or a refusal before anything ran. `seen` (may be empty) gets every
/// finding as it comes.
Result<std::vector<Finding>> run_audit(const AuditedMethod& method, const AuditRequest& request,
                                       RandomStream& stream,
                                       const std::function<void(const Finding&)>& seen = {});

}  // namespace eigenveil

import type { SecretMask } from '../secrets/mask/secret-mask.js';
import type { CheckReport, Finding } from './finding.js';

/** A report without the secrets that are known by now: vendors and programs quote what they were given. */
export function hideSecrets(report: CheckReport, mask: SecretMask): CheckReport {
  const { summary, findings } = report;
  return {
    ...report,
    summary: mask.text(summary),
    findings: findings.map((finding) => hiddenIn(finding, mask)),
  };
}

function hiddenIn(finding: Finding, mask: SecretMask): Finding {
  const { message, cause, hint, mend } = finding;
  return {
    ...finding,
    message: mask.text(message),
    ...(cause === undefined ? {} : { cause: mask.text(cause) }),
    ...(hint === undefined ? {} : { hint: mask.text(hint) }),
    ...(mend === undefined ? {} : { mend: { ...mend, title: mask.text(mend.title) } }),
  };
}

import { MASK } from '../config/mask.js';
import type { CheckReport, Finding } from './finding.js';

/** Shorter ones stand in ordinary words. */
const MIN_CHARACTERS = 6;

/** Secrets that were met during a look. Vendors and programs quote what they were given. */
export class KnownSecrets {
  private readonly values = new Set<string>();

  /** Remembers a value, so that it is masked wherever it turns up. */
  add(value: string): void {
    if (value.length >= MIN_CHARACTERS) this.values.add(value);
  }

  /** A report without the values that are known by now. */
  hide(report: CheckReport): CheckReport {
    if (this.values.size === 0) return report;
    const { summary, findings } = report;
    return {
      ...report,
      summary: this.masked(summary),
      findings: findings.map((finding) => this.hiddenIn(finding)),
    };
  }

  private hiddenIn(finding: Finding): Finding {
    const { message, cause, hint, mend } = finding;
    return {
      ...finding,
      message: this.masked(message),
      ...(cause === undefined ? {} : { cause: this.masked(cause) }),
      ...(hint === undefined ? {} : { hint: this.masked(hint) }),
      ...(mend === undefined ? {} : { mend: { ...mend, title: this.masked(mend.title) } }),
    };
  }

  private masked(text: string): string {
    // The longest first: one may be a part of another.
    const longest = [...this.values].sort((a, b) => b.length - a.length);
    return longest.reduce((rest, value) => rest.replaceAll(value, MASK), text);
  }
}

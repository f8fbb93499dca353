import type { CheckedConfig } from '../../config/check.js';
import { checkConfigText } from '../../config/check.js';
import { mendFault } from '../../config/edit/mend-fault.js';
import type { ConfigFault } from '../../config/index.js';
import type { SvcError } from '../../errors/index.js';
import type { DoctorCheck } from '../check.js';
import type { CheckReport, Finding, Mend } from '../finding.js';
import { configMend } from '../mends/edit-config.js';
import { excerpts } from '../place.js';

/** A file with thousands of faults is one that was mistaken for another. */
const MOST_FINDINGS = 50;

/** Whether the configuration can be read, and says what the schema knows. */
export const configuration: DoctorCheck = {
  name: 'configuration',
  needs: 'nothing',
  run: async ({ reading }) => {
    switch (reading.state) {
      case 'none':
        return { summary: 'no file: the defaults hold', findings: [] };
      case 'unreadable':
        return { summary: 'cannot be read', findings: [unreadable(reading.error)] };
      case 'faulty':
      case 'usable':
        return checked(reading.checked);
    }
  },
};

function unreadable({ code, message, hint, location }: SvcError): Finding {
  return {
    code: code === 'CONFIG_NOT_FOUND' ? 'missing-file' : 'unreadable-file',
    severity: 'fault',
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(location === undefined ? {} : { place: location }),
  };
}

function checked(config: CheckedConfig): CheckReport {
  const { document, faults, warnings } = config;
  const all = [...faults, ...warnings];
  const excerptOf = excerpts(document.text);
  const findings = all.slice(0, MOST_FINDINGS).map((fault): Finding => {
    const { code, severity, message, location } = fault;
    const hint = hintOf(fault);
    const mend = mendOf(config, fault);
    return {
      code,
      severity,
      message,
      place: location,
      excerpt: excerptOf(location),
      ...(hint === undefined ? {} : { hint }),
      ...(mend === undefined ? {} : { mend }),
    };
  });
  const more = all.length - findings.length;
  return { summary: document.file, findings: more === 0 ? findings : [...findings, further(more)] };
}

function further(count: number): Finding {
  return {
    code: 'more-findings',
    severity: 'note',
    message: `there are ${count} more`,
    hint: 'svc config validate shows them all',
  };
}

function hintOf({ suggestion, expected }: ConfigFault): string | undefined {
  if (suggestion !== undefined) return `did you mean "${suggestion}"?`;
  return expected === undefined ? undefined : `expected ${expected}`;
}

function mendOf(config: CheckedConfig, fault: ConfigFault): Mend | undefined {
  const proposal = mendFault(config, fault);
  if (proposal === undefined) return undefined;
  const { file, text } = config.document;
  return configMend({
    title: proposal.title,
    safe: proposal.certain,
    file,
    before: text,
    edit: (current) => {
      const now = checkConfigText(file, current);
      const same = now.faults.find(({ code, path }) => code === fault.code && path === fault.path);
      return same === undefined ? undefined : mendFault(now, same)?.text;
    },
  });
}

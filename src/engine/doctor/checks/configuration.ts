import {
  type CheckedConfig,
  checkConfigText,
  editJson,
  fixFault,
  replaceConfig,
  withConfigLock,
} from '../../config/authoring.js';
import {
  CONFIG_DEFAULTS,
  type ConfigFault,
  type ConfigPath,
  ENV_NAME,
  formatPath,
  readConfigText,
  valueAt,
  writtenSecrets,
} from '../../config/index.js';
import { maskConfigValues } from '../../config/masked-text.js';
import type { EngineContext } from '../../support/context.js';
import { formatCountOf } from '../../support/format.js';
import { type DiffLine, diffLines } from '../../support/text-diff.js';
import {
  type CheckReport,
  check,
  type Finding,
  type Fix,
  faultOf,
  finding,
  fixOutdated,
} from '../check.js';

/** A file with thousands of faults is probably the wrong file. */
const MOST_FINDINGS = 50;

/** Whether the configuration can be read and is valid. */
export const configuration = check('configuration', async ({ reading, context }) => {
  switch (reading.state) {
    case 'none':
      return { summary: 'no file, defaults in effect', findings: [] };
    case 'unreadable': {
      const { error } = reading;
      const code = error.code === 'CONFIG_NOT_FOUND' ? 'missing-file' : 'unreadable-file';
      const findings = [faultOf(code, error, { place: error.location })];
      return { summary: 'cannot be read', findings };
    }
    case 'faulty':
    case 'usable':
      return configReport(reading.checked, context);
  }
});

function configReport(config: CheckedConfig, context: EngineContext): CheckReport {
  const { document, faults, warnings } = config;
  const all = [...faults, ...warnings];
  const text = maskConfigValues(document.text);
  const findings = all.slice(0, MOST_FINDINGS).map((fault): Finding => {
    const { code, severity, message, location: place } = fault;
    const fix = fixOf(config, fault, context);
    return finding(code, severity, { message, place, text, hint: hintOf(fault), fix });
  });
  const more = all.length - findings.length;
  const further = finding('more-findings', 'note', {
    message: formatCountOf(more, 'more problem'),
    hint: '"svc config validate" lists them all',
  });
  return { summary: document.file, findings: more === 0 ? findings : [...findings, further] };
}

function hintOf({ suggestion, expected }: ConfigFault): string | undefined {
  if (suggestion !== undefined) return `did you mean "${suggestion}"?`;
  return expected === undefined ? undefined : `expected ${expected}`;
}

function fixOf(config: CheckedConfig, fault: ConfigFault, context: EngineContext): Fix | undefined {
  const proposal = fixFault(config, fault);
  if (proposal === undefined) return undefined;
  const { document } = config;
  return configFix(context, document, {
    title: proposal.title,
    safe: proposal.certain,
    edit: (current) => fixFault(checkConfigText(document.file, current), fault)?.text,
  });
}

interface ConfigTextEdit {
  readonly title: string;
  readonly safe: boolean;
  /** Undefined where the change does not apply to the text. */
  readonly edit: (text: string) => string | undefined;
}

/**
 * A fix of the configuration file. Other fixes may be applied first, so the edit is computed again on
 * the current text, and written only when it still changes what was shown.
 */
export function configFix(
  context: EngineContext,
  { file, text: before }: Pick<CheckedConfig['document'], 'file' | 'text'>,
  { title, safe, edit }: ConfigTextEdit,
): Fix | undefined {
  const after = edit(before);
  if (after === undefined || after === before) return undefined;
  const diff = maskedDiff(before, after);
  return {
    title,
    safe,
    diff,
    changes: 'configuration',
    apply: (signal) =>
      withConfigLock(context, signal, () => {
        const text = readConfigText(file);
        const edited = edit(text);
        if (edited === undefined || !isSameChange(maskedDiff(text, edited), diff)) {
          throw fixOutdated(`${file} changed since this fix was shown`);
        }
        replaceConfig(context, file, { before: text, after: edited });
      }),
  };
}

function maskedDiff(before: string, after: string): readonly DiffLine[] {
  return diffLines(maskConfigValues(before), maskConfigValues(after));
}

/** Lines around a change may have been fixed in the meantime. */
function isSameChange(a: readonly DiffLine[], b: readonly DiffLine[]): boolean {
  const changed = (lines: readonly DiffLine[]): string =>
    lines
      .filter(({ kind }) => kind !== 'context')
      .map(({ kind, text }) => `${kind} ${text}`)
      .join('\n');
  return changed(a) === changed(b);
}

/** Older forms of references (facts §3.1); the second is no longer one. */
const OLD_REFERENCE = /^(secretref-env|__env__):(.*)$/su;

const WITHOUT_EFFECT: readonly ConfigPath[] = [
  ['plugins', 'entries', 'active-memory', 'config', 'modelFallbackPolicy'],
];

/** Keys and forms that have been replaced. */
export const deprecated = check('deprecated', async ({ reading, context }) => {
  if (!('checked' in reading) || reading.checked.document.syntaxFaults.length > 0) {
    return { summary: 'nothing to check', findings: [], off: true };
  }
  const { document } = reading.checked;
  const text = maskConfigValues(document.text);
  const findings = [...oldForms(document.value)].map(({ path, message, title, value }): Finding => {
    const place = document.locate(path);
    const fix = configFix(context, document, {
      title,
      safe: true,
      edit: (current) => editJson(current, path, value),
    });
    return finding('deprecated', 'warning', { message, place, text, fix });
  });
  const found = findings.length === 0 ? 'no' : 'has';
  return { summary: `${found} old keys or forms`, findings };
});

/** @returns with the new value; undefined removes the key */
function* oldForms(data: unknown) {
  for (const { path } of writtenSecrets(data, CONFIG_DEFAULTS.secrets.defaults)) {
    const written = valueAt(data, path);
    // References can also be objects, which have no text.
    const text = typeof written === 'string' ? written : '';
    const [, form, name = ''] = OLD_REFERENCE.exec(text) ?? [];
    if (form === undefined || !ENV_NAME.test(name)) continue;
    yield {
      path,
      message:
        form === '__env__'
          ? `"${form}:" is no longer a reference: the text itself is used as the secret`
          : `"${form}:" is an old form of a reference`,
      title: `write ${formatPath(path)} as env:${name}`,
      value: `env:${name}`,
    };
  }
  for (const path of WITHOUT_EFFECT) {
    if (valueAt(data, path) === undefined) continue;
    const name = formatPath(path);
    yield { path, message: `${name} has no effect`, title: `remove ${name}`, value: undefined };
  }
}

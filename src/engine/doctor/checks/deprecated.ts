import { type ConfigPath, formatPath, isRecord, valueAt } from '../../config/config-path.js';
import { parseConfigText } from '../../config/document.js';
import { editConfigText } from '../../config/edit/edit-text.js';
import { isSecretPath } from '../../config/mask.js';
import { ENV_NAME } from '../../config/secret-input.js';
import type { DoctorCheck } from '../check.js';
import type { Finding } from '../finding.js';
import { configMend } from '../mends/edit-config.js';
import { excerpts } from '../place.js';

/** Older ways to name a variable (facts §3.1); the second is no reference any more. */
const OLD_REFERENCE = /^(secretref-env|__env__):(.*)$/su;

const WITHOUT_EFFECT: readonly ConfigPath[] = [
  ['plugins', 'entries', 'active-memory', 'config', 'modelFallbackPolicy'],
];

interface OldForm {
  readonly path: ConfigPath;
  readonly message: string;
  readonly title: string;
  /** What should be written instead; undefined removes the key. */
  readonly value: string | undefined;
}

/** Keys and forms that are still read, or once were, and have a better one now. */
export const deprecated: DoctorCheck = {
  name: 'deprecated',
  needs: 'nothing',
  run: async ({ reading }) => {
    if (!('checked' in reading) || reading.checked.document.syntaxFaults.length > 0) {
      return { summary: 'nothing to look at', findings: [], off: true };
    }
    const { document } = reading.checked;
    const { file, text } = document;
    const excerptOf = excerpts(text);
    const findings = [...oldForms(document.value)].map((form): Finding => {
      const place = document.locate(form.path);
      const { message, title } = form;
      const mend = configMend({
        title,
        safe: true,
        file,
        before: text,
        edit: (current) =>
          isThere(current, file, form) ? editConfigText(current, form.path, form.value) : undefined,
      });
      return {
        code: 'deprecated',
        severity: 'warning',
        message,
        place,
        excerpt: excerptOf(place),
        ...(mend === undefined ? {} : { mend }),
      };
    });
    return { summary: 'no old keys or forms', findings };
  },
};

function isThere(text: string, file: string, { path }: OldForm): boolean {
  const { value } = parseConfigText(file, text);
  const at = formatPath(path);
  return [...oldForms(value)].some((form) => formatPath(form.path) === at);
}

function* oldForms(data: unknown): Generator<OldForm> {
  yield* oldReferences(data, []);
  for (const path of WITHOUT_EFFECT) {
    if (valueAt(data, path) === undefined) continue;
    const name = formatPath(path);
    yield { path, message: `${name} has no effect`, title: `remove ${name}`, value: undefined };
  }
}

function* oldReferences(data: unknown, path: ConfigPath): Generator<OldForm> {
  if (typeof data === 'string') {
    const [, form, name = ''] = OLD_REFERENCE.exec(data) ?? [];
    if (form === undefined || !isSecretPath(path) || !ENV_NAME.test(name)) return;
    const isRead = form !== '__env__';
    yield {
      path,
      message: isRead
        ? `"${form}:" is an old way to name a variable`
        : `"${form}:" is no reference any more: the text itself is taken for the secret`,
      title: `write ${formatPath(path)} as env:${name}`,
      value: `env:${name}`,
    };
  } else if (Array.isArray(data)) {
    for (const [at, item] of data.entries()) yield* oldReferences(item, [...path, at]);
  } else if (isRecord(data)) {
    for (const [key, item] of Object.entries(data)) yield* oldReferences(item, [...path, key]);
  }
}

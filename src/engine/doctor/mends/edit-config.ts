import { writeFileAtomically } from '../../config/edit/atomic-write.js';
import { hideConfigValues } from '../../config/hide-config-values.js';
import { readConfigText } from '../../config/source-file.js';
import { SvcError } from '../../errors/index.js';
import { type DiffLine, diffLines } from '../../text-diff.js';
import type { Mend } from '../finding.js';

/** A change of the text of a configuration file. */
export interface ConfigTextEdit {
  readonly title: string;
  readonly safe: boolean;
  /** Absolute path. */
  readonly file: string;
  /** The text as it is now. */
  readonly before: string;
  /** Works the change out on a text; undefined where it does not apply to it. */
  readonly edit: (text: string) => string | undefined;
}

/**
 * A mend of the configuration file. It is worked out anew on the text that is there when it is
 * applied, since other mends may have come first, and done only when it still changes what was shown.
 */
export function configMend(edit: ConfigTextEdit): Mend | undefined {
  const { title, safe, file, before } = edit;
  const after = edit.edit(before);
  if (after === undefined || after === before) return undefined;
  const diff = maskedDiff(before, after);
  return {
    title,
    safe,
    diff,
    changes: 'configuration',
    apply: async () => {
      const text = readConfigText(file);
      const edited = edit.edit(text);
      if (edited === undefined || !isSameChange(maskedDiff(text, edited), diff)) {
        throw new SvcError('MEND_OUTDATED', `${file} is not as it was when this was shown`, {
          hint: 'run svc config doctor again',
        });
      }
      writeFileAtomically(file, edited);
    },
  };
}

function maskedDiff(before: string, after: string): readonly DiffLine[] {
  const masked = hideConfigValues(before);
  // What was under a mistyped key is no less a secret under the right one.
  return diffLines(masked.text, hideConfigValues(after, masked.hidden).text);
}

/** What lies around a change may have been mended in the meantime. */
function isSameChange(a: readonly DiffLine[], b: readonly DiffLine[]): boolean {
  const changed = (lines: readonly DiffLine[]): string =>
    lines
      .filter(({ kind }) => kind !== 'context')
      .map(({ kind, text }) => `${kind} ${text}`)
      .join('\n');
  return changed(a) === changed(b);
}

import { isRecord } from '../../config/index.js';
import { SvcError } from '../../errors/index.js';
import type { DocumentEditor } from './document-editor.js';

/** The path of the whole text in the data of a file. */
export const SCRIPT_PATH = ['script'] as const;

/** A file that belongs to svc as a whole: `{script: TEXT}`, or `{}` while it is empty. */
export const scriptEditor: DocumentEditor = {
  read: (_, text) => (text === '' ? {} : { script: text }),
  insert(file, text, _, value) {
    if (text === '') return [{ offset: 0, text: String(value) }];
    throw new SvcError('INTEGRATION_FILE_INVALID', `${file} was not written by svc`, {
      hint: 'rename it, and run the command again',
      location: start(file),
    });
  },
  setKeys: (text, _, { script }) => (script === undefined ? text : String(script)),
  remove: () => '',
  isBare: (text) => text === '',
  locate: start,
  hideOthers: (text, shown) => (shown === undefined ? '' : text),
};

/** The text of a file's data; undefined while it is empty. */
export function scriptIn(data: unknown): string | undefined {
  const script = isRecord(data) ? data['script'] : undefined;
  return typeof script === 'string' ? script : undefined;
}

function start(file: string): { file: string; line: number; column: number } {
  return { file, line: 1, column: 1 };
}

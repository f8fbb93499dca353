import { SvcError } from '../../errors/index.js';

/** A fault in an export that is to be imported. @param line counted from 1 */
export function exportFault(file: string, line: number, why: string): SvcError {
  return new SvcError('IMPORT_INVALID', `line ${line} of the export cannot be taken: ${why}`, {
    location: { file, line, column: 1 },
    hint: 'nothing was written; make the export anew with "svc memory export"',
  });
}

import * as z from 'zod/mini';
import { field } from '../errors/output-schema.js';

/** What became of packages that a command installs on request, or removes. */
export const packagesFields = {
  outcome: field(
    z.enum(['absent', 'already', 'installed', 'removed']),
    '`absent`: there was nothing to remove.',
  ),
  version: field.textOrNull('Version; `null` if there is none.'),
  folder: field.textOrNull('Absolute path of its (former) folder.'),
  bytes: field.count('Size on disk.'),
};

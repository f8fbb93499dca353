import { readPart } from '../../read-part.js';
import { SCHEMA_VERSION } from './identity.js';
import { APPLICATION_ID } from './schema.js';

/** What the first bytes of a file at an index's place say. */
export type IndexHeader = 'current' | 'foreign' | 'newer' | 'older';

const HEADER_BYTES = 72;

/** Reads the header of a database (https://sqlite.org/fileformat2.html, §1.3). */
export function indexHeader(file: string): IndexHeader {
  const header = readPart(file, 0, HEADER_BYTES);
  const isDatabase =
    header.length === HEADER_BYTES && header.toString('latin1', 0, 16) === 'SQLite format 3\0';
  if (!isDatabase || header.readInt32BE(68) !== APPLICATION_ID) return 'foreign';
  const version = header.readInt32BE(60);
  if (version === SCHEMA_VERSION) return 'current';
  return version > SCHEMA_VERSION ? 'newer' : 'older';
}

import type { Diagnosis } from '../embeddings/diagnosis/index.js';
import type { IndexedAgent, SearchOutput } from '../memory/output-schemas.js';
import type { WrittenSetUp } from './apply.js';

/** `svc config init --json`, when it sets up more than a file to start from. */
export interface SetUpOutput extends WrittenSetUp {
  /** Absolute path of the folder. */
  readonly workspace: string;
  /** Null for words alone. */
  readonly provider: string | null;
  /** What trying the provider found; null for words alone. */
  readonly diagnosis: Diagnosis | null;
  /** Null with --no-index. */
  readonly index: IndexedAgent | null;
  /** The answer to a first question; null with --no-index. */
  readonly search: SearchOutput | null;
}

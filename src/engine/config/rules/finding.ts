import type { ConfigPath } from '../config-path.js';
import type { FaultCode, FaultSeverity } from '../fault.js';
import type { ConfigInput } from '../input.js';
import type { SearchScope } from './search-scope.js';

/** What a rule says about a configuration; places are paths until a document locates them. */
export interface RuleFinding {
  readonly severity: FaultSeverity;
  readonly code: FaultCode;
  /** The value at fault. */
  readonly path: ConfigPath;
  /** Other values that take part. */
  readonly related?: readonly ConfigPath[];
  readonly message: string;
  readonly expected?: string;
  readonly suggestion?: string;
}

/**
 * A rule across keys; sees only configurations that the schema accepts.
 *
 * @param scopes what holds for memory search, by {@link searchScopes}: made once for all rules
 */
export type Rule = (input: ConfigInput, scopes: readonly SearchScope[]) => Iterable<RuleFinding>;

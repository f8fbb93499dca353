import type { SourceLocation } from '../errors/index.js';
import { type ConfigPath, formatPath } from './config-path.js';

/** Part of the JSON output: never rename. */
export type FaultCode =
  | 'cron-never-fires'
  | 'dimensions-unsupported'
  | 'duplicate-agent'
  | 'duplicate-default-agent'
  | 'duplicate-key'
  | 'duplicate-route-path'
  | 'duplicate-target'
  | 'fallback-is-provider'
  | 'invalid-value'
  | 'mapping-invalid'
  | 'missing-key'
  | 'multimodal-unsupported'
  | 'notify-ambiguous'
  | 'notify-insecure'
  | 'not-trusted'
  | 'notify-unsigned'
  | 'overlap-exceeds-chunk'
  | 'path-leaves-folder'
  | 'port-shared'
  | 'plain-password'
  | 'reranker-incomplete'
  | 'route-unreachable'
  | 'rule-never-matches'
  | 'sessions-half-on'
  | 'setting-unused'
  | 'store-folder'
  | 'store-shared'
  | 'syntax'
  | 'unknown-key'
  | 'unknown-provider'
  | 'unknown-reader'
  | 'unknown-route'
  | 'unknown-secret-provider'
  | 'variable-is-reference'
  | 'schedule-invalid'
  | 'verify-invalid'
  | 'weak-secret'
  | 'weights-sum-zero'
  | 'wrong-type';

/** A problem in a configuration file. Contains no secret values. */
export interface ConfigFault {
  /** A fault makes the configuration unusable. */
  readonly severity: 'fault' | 'warning';
  readonly code: FaultCode;
  /** Like `agents.list[0].memorySearch.provider`; empty for the whole file. */
  readonly path: string;
  readonly location: SourceLocation;
  /** One sentence without a period. */
  readonly message: string;
  /** What would be valid. */
  readonly expected?: string | undefined;
  /** What was probably meant. */
  readonly suggestion?: string | undefined;
  /** Other places involved, for instance the first of two duplicate keys. */
  readonly related?: readonly SourceLocation[] | undefined;
}

/** A fault at a place of a file. */
export function faultAt(
  code: FaultCode,
  path: ConfigPath,
  location: SourceLocation,
  texts: Pick<ConfigFault, 'expected' | 'message' | 'related' | 'suggestion'>,
): ConfigFault {
  return { severity: 'fault', code, path: formatPath(path), location, ...texts };
}

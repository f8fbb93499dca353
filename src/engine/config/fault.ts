import type { SourceLocation } from '../errors/index.js';

/** What kind of thing is wrong; part of the JSON output, so names stay. */
export type FaultCode =
  | 'cron-never-fires'
  | 'dimensions-unsupported'
  | 'duplicate-agent'
  | 'duplicate-default-agent'
  | 'duplicate-key'
  | 'duplicate-route-path'
  | 'fallback-is-provider'
  | 'invalid-value'
  | 'missing-key'
  | 'multimodal-unsupported'
  | 'notify-ambiguous'
  | 'notify-insecure'
  | 'notify-unsigned'
  | 'overlap-exceeds-chunk'
  | 'path-leaves-folder'
  | 'sessions-half-on'
  | 'syntax'
  | 'unknown-key'
  | 'unknown-provider'
  | 'unknown-reader'
  | 'weak-secret'
  | 'weights-sum-zero'
  | 'wrong-type';

/** A fault makes the configuration unusable; a warning does not. */
export type FaultSeverity = 'fault' | 'warning';

/** One thing wrong with a configuration file, and where. Holds no secret values. */
export interface ConfigFault {
  readonly severity: FaultSeverity;
  readonly code: FaultCode;
  /** The place in the tree, like `agents.list[0].memorySearch.provider`; empty for the whole file. */
  readonly path: string;
  readonly location: SourceLocation;
  /** One sentence without a full stop. */
  readonly message: string;
  /** What would be accepted. */
  readonly expected?: string;
  /** What was probably meant. */
  readonly suggestion?: string;
  /** Other places that take part, for instance the first of two equal keys. */
  readonly related?: readonly SourceLocation[];
}

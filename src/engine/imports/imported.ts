import type { ConfigPath } from '../config/index.js';

/** A program that svc can take over from. */
export const IMPORT_PROGRAMS = ['openclaw', 'qmd', 'basic-memory', 'claude-mem'] as const;

export type ImportProgram = (typeof IMPORT_PROGRAMS)[number];

/** A setting of the other program, in the words of svc. */
export interface ImportedSetting {
  /** Where it is in the other program. */
  readonly from: string;
  /** Below `agents.list[]` if `agent` is set. */
  readonly path: ConfigPath;
  readonly agent?: string;
  readonly value: unknown;
  /** Adds the items of a list to those that are there. */
  readonly adds?: boolean;
  /** What differs from the other program. */
  readonly note?: string | undefined;
}

/** Something that svc does not take, and why. */
export interface LeftOut {
  readonly from: string;
  readonly why: string;
}

/** An entry of a note that is written. */
export interface ImportedEntry {
  /** Identifies it in the note, so that it is written once. */
  readonly id: string;
  /** The day of the note, `2026-02-03`. */
  readonly day: string;
  /** Markdown. */
  readonly text: string;
}

/** What was read from another program. Nothing of that program was changed. */
export interface Imported {
  /** Absolute path of what was read. */
  readonly source: string;
  readonly settings: readonly ImportedSetting[];
  readonly left: readonly LeftOut[];
  /** In the order of time. */
  readonly entries: readonly ImportedEntry[];
}

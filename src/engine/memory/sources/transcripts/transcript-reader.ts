/** Who said something. */
export type TurnRole = 'assistant' | 'user';

/** What one line of a transcript says, cleaned of what is no conversation. */
export interface Turn {
  readonly role: TurnRole;
  /** Not empty; line ends as they were written. */
  readonly text: string;
  /** When it was said, as an ISO 8601 time; undefined where the line has none. */
  readonly at: string | undefined;
}

/** What a reader makes of one line. */
export type LineMeaning =
  | { readonly type: 'turn'; readonly turn: Turn; readonly key?: string | undefined }
  /** The whole file is none of ours: a scheduled run, a diary, a conversation of other agents. */
  | { readonly type: 'exclude' }
  /** Tool calls, results, thinking, bookkeeping. */
  | { readonly type: 'noise' };

/** A line's JSON object. */
export type LineRecord = Readonly<Record<string, unknown>>;

/** Where a conversation was held, as far as its file says. */
export type HeldIn =
  | { readonly folder: string }
  /** SHA-256 of the folder's path, hexadecimal. */
  | { readonly folderHash: string };

/** What a reader is told about the world to find its usual place. */
export interface ReaderWorld {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  /** Absolute path of the folder where svc keeps this agent's own transcripts. */
  readonly agentSessionsDir: string;
}

/** One agent's way of keeping transcripts: one JSON object a line, appended to. */
export interface TranscriptReader {
  readonly id: string;
  /** Absolute path of the folder that its transcripts lie in or below, when none is configured. */
  usualPlace(world: ReaderWorld): string;
  /**
   * Whether a file is a transcript, by its path below the place, segment by segment. Called with
   * folders too: whether transcripts can lie below.
   */
  accepts(segments: readonly string[], kind: 'file' | 'folder'): boolean;
  /**
   * Whether a conversation can have been held in one of these folders, by its path alone; for
   * agents whose files do not say it.
   */
  heldInByPath?(segments: readonly string[], folders: readonly string[]): boolean;
  /** Where the conversation was held; undefined where the line does not say. */
  heldIn?(record: LineRecord): HeldIn | undefined;
  read(record: LineRecord): LineMeaning;
}

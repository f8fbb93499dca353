import { existsSync, lstatSync } from 'node:fs';
import { isSessionReader, type ResolvedMemorySearch } from '../../../config/index.js';
import { messageOf, SvcError } from '../../../errors/index.js';
import { closing, letOthersRun, letOthersWork } from '../../../support/async.js';
import { oneLine } from '../../../support/text.js';
import { MS_PER_DAY } from '../../../support/time.js';
import { skipWords } from '../../skip-words.js';
import { type FileFingerprint, isSameFingerprint, type SkippedFile } from '../../types.js';
import { skipOf } from '../skips.js';
import { type ConversationPart, readConversation } from '../transcripts/read-conversation.js';
import type {
  NumberedTurn,
  TranscriptFile,
  TranscriptScan,
} from '../transcripts/transcript-reader.js';
import { fingerprintOf } from '../walk.js';
import {
  type ArchivedSession,
  ArchiveStore,
  archiveUnusable,
  type ImportRecord,
  type SessionContent,
  titleOf,
} from './archive-store.js';
import { readExport } from './read-export.js';

/** What is archived of `sync.sessions`, and where. */
export interface ArchiveSettings
  extends Pick<
    ResolvedMemorySearch['sync']['sessions'],
    'imports' | 'maxAgeDays' | 'maxBytes' | 'retention'
  > {
  /** Absolute path of the archive; need not exist. */
  readonly file: string;
}

interface ArchiveUpdate {
  /** Removes forgotten lines from a text. */
  readonly leftOf: (text: string) => string;
  readonly nowMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with how many conversations were read, of one export or of all agents, and which part of all that is. */
  readonly onProgress?: ((conversations: number, fraction: number) => void) | undefined;
}

/** A transaction ends at either limit: each waits for the disk, and others for it. */
const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_SESSIONS = 64;

/** Conversations that outlive the files of their agents, and those of data exports. */
export class SessionArchive {
  readonly settings: ArchiveSettings;

  constructor(settings: ArchiveSettings) {
    this.settings = settings;
  }

  get exists(): boolean {
    return existsSync(this.settings.file);
  }

  /** @throws SvcError ARCHIVE_UNUSABLE */
  sessions(): readonly ArchivedSession[] {
    return this.content().sessions;
  }

  /** Conversations to search, except for the ones that their agents still have. */
  list(isLive: (path: string) => boolean): TranscriptScan {
    try {
      const { sessions, imports } = this.content();
      const files = sessions
        .filter((session) => this.isSearched(session) && !isLive(session.path))
        .map((session) => this.fileOf(session));
      return { files, skipped: this.faultsOf(imports) };
    } catch (error) {
      return { files: [], skipped: [skippedFor(error)] };
    }
  }

  /** Whether {@link update} has anything to do. */
  isBehind(live: readonly TranscriptFile[], nowMs: number): boolean {
    try {
      const { sessions, imports } = this.content();
      return (
        this.changedImports(imports).length > 0 ||
        this.changedFiles(sessions, live).length > 0 ||
        this.overLimits(sessions, live, nowMs).length > 0
      );
    } catch {
      // list() reports it.
      return false;
    }
  }

  /**
   * Archives what is new, reads changed exports and applies the limits.
   *
   * @returns why the archive cannot be used, if so
   */
  async update(
    live: readonly TranscriptFile[],
    options: ArchiveUpdate,
  ): Promise<SkippedFile | undefined> {
    const { file } = this.settings;
    try {
      using store = closing(ArchiveStore.open(file));
      for (const path of this.changedImports(store.imports()))
        await this.import(store, path, options);
      await this.keep(store, this.changedFiles(store.sessions(), live), options);
      this.applyLimits(store, live, options.nowMs);
      return undefined;
    } catch (error) {
      const failure = archiveUnusable(file, error);
      if (failure.code !== 'ARCHIVE_UNUSABLE') throw failure;
      return skippedFor(failure);
    }
  }

  /**
   * Removes forgotten text. Conversations that still have a transcript are archived again by the next update, without
   * what is forgotten then.
   *
   * @returns how many conversations were changed; some may be left if the signal aborts
   * @throws SvcError ARCHIVE_UNUSABLE
   */
  async erase(leftOf: (text: string) => string, signal?: AbortSignal): Promise<number> {
    let changed = 0;
    await this.change(async (store) => {
      // Text taken off the list may return, so every transcript and export is read again.
      store.markAllChanged();
      for (const session of store.sessions()) {
        await letOthersRun();
        if (signal?.aborted === true) return;
        const turns = [...store.turns(session.path)];
        const left = withoutForgotten(turns, leftOf);
        const isSame =
          left.length === turns.length && left.every(({ text }, at) => text === turns[at]?.text);
        if (isSame && leftOf(session.title) === session.title) continue;
        if (!isSame) changed += 1;
        const keepsTitle = left.length > 0 && hasOwnTitle(session, turns, leftOf);
        store.transaction(() => {
          store.write({
            ...session,
            turns: left,
            title: keepsTitle ? session.title : titleOf(left),
          });
        });
      }
    });
    return changed;
  }

  /** Deletes conversations that have no transcript any more. @throws SvcError ARCHIVE_UNUSABLE */
  async remove(paths: readonly string[]): Promise<void> {
    await this.change((store) => {
      store.transaction(() => {
        for (const path of paths) store.remove(path);
      });
    });
  }

  /** Does nothing without an archive. @throws SvcError ARCHIVE_UNUSABLE */
  private async change(work: (store: ArchiveStore) => Promise<void> | void): Promise<void> {
    const { file } = this.settings;
    if (!existsSync(file)) return;
    using store = closing(ArchiveStore.open(file));
    try {
      await work(store);
    } catch (error) {
      throw archiveUnusable(file, error);
    }
  }

  /** @throws SvcError ARCHIVE_UNUSABLE */
  private content() {
    const read = (store: ArchiveStore) => {
      return { sessions: store.sessions(), imports: store.imports() };
    };
    return ArchiveStore.read(this.settings.file, read) ?? { sessions: [], imports: [] };
  }

  /** A conversation of the archive as a transcript. */
  fileOf(session: ArchivedSession): TranscriptFile {
    const { file } = this.settings;
    const { path, reader, size, mtimeMs, ctimeMs } = session;
    const label = path.split('/').slice(0, 2).join('/');
    return {
      source: 'sessions',
      kind: 'transcript',
      path,
      absolutePath: file,
      place: {
        reader: isSessionReader(reader) ? reader : 'svc',
        root: file,
        label,
        projectFolders: undefined,
      },
      size,
      mtimeMs,
      ctimeMs,
      turns: () => this.turns(path),
    };
  }

  /** @throws SvcError ARCHIVE_UNUSABLE */
  private turns(path: string): readonly NumberedTurn[] {
    return ArchiveStore.read(this.settings.file, (store) => [...store.turns(path)]) ?? [];
  }

  private isSearched({ turns, importedFrom }: ArchivedSession): boolean {
    const { retention, imports } = this.settings;
    if (turns === 0) return false;
    return retention === 'keep' || (importedFrom !== null && imports.includes(importedFrom));
  }

  private faultsOf(records: readonly ImportRecord[]): readonly SkippedFile[] {
    return this.settings.imports.flatMap((path): readonly SkippedFile[] => {
      const record = records.find(({ file }) => file === path);
      if (record?.fault !== undefined && record.fault !== null) {
        return [{ path, reason: 'unreadable', detail: record.fault }];
      }
      const isThere = record !== undefined || lstatSync(path, { throwIfNoEntry: false });
      return isThere
        ? []
        : [{ path, reason: 'missing', detail: 'configured in sync.sessions.imports' }];
    });
  }

  private changedImports(records: readonly ImportRecord[]): readonly string[] {
    const known = new Map(records.map((record) => [record.file, record]));
    return this.settings.imports.filter((path) => {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats !== undefined && !isKnown(known.get(path), stats);
    });
  }

  private changedFiles(
    sessions: readonly ArchivedSession[],
    live: readonly TranscriptFile[],
  ): readonly TranscriptFile[] {
    if (this.settings.retention === 'follow') return [];
    const known = new Map(sessions.map((session) => [session.path, session]));
    return live.filter((file) => !isKnown(known.get(file.path), file));
  }

  private async keep(
    store: ArchiveStore,
    files: readonly TranscriptFile[],
    { leftOf, signal, onProgress }: ArchiveUpdate,
  ): Promise<void> {
    for (let at = 0; at < files.length && signal?.aborted !== true; ) {
      onProgress?.(at, at / files.length);
      store.transaction(() => {
        let bytes = 0;
        const end = Math.min(files.length, at + BATCH_SESSIONS);
        while (at < end && bytes < BATCH_BYTES) {
          const file = files[at];
          at += 1;
          if (file !== undefined) bytes += archive(store, file, leftOf);
        }
      });
      await letOthersWork();
    }
  }

  private async import(
    store: ArchiveStore,
    path: string,
    { leftOf, nowMs, signal, onProgress }: ArchiveUpdate,
  ): Promise<void> {
    const { size, mtimeMs, ctimeMs } = lstatSync(path);
    let conversations = 0;
    let fault: string | null = null;
    const known = new Map(store.sessions().map((session) => [session.path, session]));
    const onFault = (why: string): void => {
      fault ??= why;
    };
    let batch: SessionContent[] = [];
    let bytes = 0;
    const flush = (): void => {
      store.transaction(() => {
        for (const content of batch) store.write(content);
      });
      batch = [];
      bytes = 0;
    };
    try {
      for await (const { read, ...conversation } of readExport(path, onFault)) {
        if (signal?.aborted === true) return;
        onProgress?.(conversations, read / size);
        conversations += 1;
        const { format: reader, id, title, updatedAt } = conversation;
        const turns = withoutForgotten(conversation.turns, leftOf);
        const last = updatedAt ?? turns.at(-1)?.at;
        // A time in the future would count as just changed forever.
        const lastMs = last === undefined ? mtimeMs : Date.parse(last);
        const changedMs = Math.min(lastMs, nowMs - MS_PER_DAY);
        const chars = turns.reduce((sum, { text }) => sum + text.length, 0);
        const fingerprint = { size: chars, mtimeMs: changedMs, ctimeMs: changedMs };
        const content = { path: `sessions/${reader}/${id}`, reader, importedFrom: path };
        const before = known.get(content.path);
        const isOlder = before !== undefined && before.ctimeMs >= 0 && before.mtimeMs > changedMs;
        const isSame = isKnown(before, fingerprint) && before?.importedFrom === path;
        if (isOlder || isSame || turns.length === 0) continue;
        const shown = title === undefined || leftOf(title) !== title ? undefined : title;
        batch.push({ ...content, ...fingerprint, title: shown, turns });
        bytes += chars;
        if (batch.length < BATCH_SESSIONS && bytes < BATCH_BYTES) continue;
        flush();
        await letOthersWork();
      }
      flush();
    } catch (error) {
      onFault(skipWords(skipOf(path, error)));
    }
    store.writeImport({ file: path, size, mtimeMs, ctimeMs, fault });
  }

  /** Drops the oldest conversations over the limits. */
  private applyLimits(store: ArchiveStore, live: readonly TranscriptFile[], nowMs: number): void {
    store.transaction(() => {
      for (const { path, isLive } of this.overLimits(store.sessions(), live, nowMs)) {
        // What its agent still has would be archived again.
        if (isLive) store.drop(path);
        else store.remove(path);
      }
    });
  }

  /** The conversations over the limits, and empty ones without a transcript; those of exports stay. */
  private overLimits(
    sessions: readonly ArchivedSession[],
    live: readonly TranscriptFile[],
    nowMs: number,
  ): readonly { readonly path: string; readonly isLive: boolean }[] {
    const { retention, maxAgeDays, maxBytes } = this.settings;
    if (retention === 'follow') return [];
    const livePaths = new Set(live.map(({ path }) => path));
    let bytes = 0;
    return sessions
      .filter(({ importedFrom }) => importedFrom === null)
      .map((session) => ({ ...session, endedMs: lastContinuedMs(session) }))
      .toSorted((a, b) => b.endedMs - a.endedMs)
      .filter((session) => {
        const isOld = maxAgeDays > 0 && session.endedMs < nowMs - maxAgeDays * MS_PER_DAY;
        // What is dropped counts too, so that nothing older stays; one that never fits must not displace the rest.
        const isTooMuch = maxBytes > 0 && bytes + session.bytes > maxBytes;
        if (session.bytes <= maxBytes) bytes += session.bytes;
        return session.turns === 0 ? !livePaths.has(session.path) : isOld || isTooMuch;
      })
      .map(({ path }) => ({ path, isLive: livePaths.has(path) }));
  }
}

/** Searching goes on without the archive, with a warning. */
function skippedFor(error: unknown): SkippedFile {
  return { path: 'sessions', reason: 'unreadable', detail: messageOf(error) };
}

/** @returns how much was read */
function archive(
  store: ArchiveStore,
  file: TranscriptFile,
  leftOf: (text: string) => string,
): number {
  let part: ConversationPart;
  try {
    part = readConversation(file, store.resumeOf(file.path));
  } catch (error) {
    if (error instanceof SvcError) throw error;
    // Its agent may have deleted it just now.
    if (skipOf(file.absolutePath, error).reason === 'vanished') return 0;
    // What is archived stays; the sync reports the error.
    const fingerprint = fingerprintOf(file);
    part = { fingerprint, continues: true, turns: [], end: undefined, bytes: 0 };
  }
  const { fingerprint, continues, turns, end, bytes } = part;
  store.write({
    path: file.path,
    reader: file.place.reader,
    importedFrom: null,
    ...fingerprint,
    turns: withoutForgotten(turns, leftOf),
    continues,
    resume: end,
  });
  return bytes;
}

function withoutForgotten(
  turns: readonly NumberedTurn[],
  leftOf: (text: string) => string,
): readonly NumberedTurn[] {
  return turns.flatMap((turn) => {
    const text = leftOf(turn.text);
    return text === '' ? [] : [text === turn.text ? turn : { ...turn, text }];
  });
}

/** Whether a title is that of an export and has nothing that is forgotten: one that quotes a turn can be cut in the middle of that. */
function hasOwnTitle(
  { title, importedFrom }: ArchivedSession,
  turns: readonly NumberedTurn[],
  leftOf: (text: string) => string,
): boolean {
  if (importedFrom === null || leftOf(title) !== title) return false;
  const words = title.replace(/…$/u, '');
  return !turns.some(({ text }) => oneLine(text).includes(words));
}

/** When a conversation was last continued. */
export function lastContinuedMs({
  endedAt,
  mtimeMs,
}: Pick<ArchivedSession, 'endedAt' | 'mtimeMs'>): number {
  return endedAt === null ? mtimeMs : Date.parse(endedAt);
}

function isKnown(known: FileFingerprint | undefined, now: FileFingerprint): boolean {
  return known !== undefined && isSameFingerprint(known, now);
}

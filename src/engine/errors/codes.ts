/** Exit codes of the program (docs/errors.md): 0 is success and never belongs to an error. */
type ExitCode = 1 | 2 | 124 | 130;

interface CodeEntry {
  /** What the process exits with when this error ends a command. */
  readonly exit: ExitCode;
  /** What happened, in one sentence for docs/errors.md. */
  readonly summary: string;
}

/** The command was right, but something failed. */
const FAILURES = {
  ARCHIVE_UNUSABLE: 'The archive of conversations cannot be read or written.',
  BUG: 'svc itself failed.',
  CAPTURE_UNREADABLE: 'The conversation to capture cannot be read.',
  CONFIG_EXISTS: 'The configuration file already exists.',
  CONFIG_WRITE_FAILED: 'The configuration file could not be written and is unchanged.',
  DELIVERIES_UNUSABLE:
    'The record of webhook deliveries is damaged, unreadable or of a newer version of svc.',
  DELIVERY_NOT_FOUND: 'No recorded delivery has this ID, or several start with it.',
  DELIVERY_NOT_REPLAYABLE: 'The body of the delivery was not kept as it was sent.',
  DOCUMENT_ELSEWHERE: 'The file is on another host of a shared memory.',
  DOCUMENT_NOT_INDEXED: 'The file is not part of the index.',
  DOCUMENT_UNREADABLE: 'An indexed file cannot be read.',
  DREAM_CLAIM_UNKNOWN: 'Dreaming knows no claim with this key or text.',
  DREAM_FILE_REFUSED:
    'Dreaming refused to write to a symbolic link, a folder, or a file that is read-only or too large.',
  DREAM_MEMORY_BUSY:
    'MEMORY.md, or the file of a report, kept changing, so dreaming did not write it.',
  DREAM_STORE_NEWER: 'The dreaming database was written by a newer version of svc.',
  DREAM_STORE_UNUSABLE: 'The dreaming database cannot be read or written.',
  DREAM_SWEEP_UNKNOWN: 'There is no sweep with this ID.',
  EVAL_WRITE_FAILED: 'The baseline or the drafted questions could not be written.',
  EXPORT_WRITE_FAILED: 'The export could not be written.',
  FIX_OUTDATED: 'What a fix would change is no longer as it was shown.',
  FLOWS_BUSY: 'Other processes kept the flow database locked.',
  FLOWS_DAMAGED: 'The flow database is damaged.',
  FLOWS_FOREIGN: 'The file at the path of the flow database is something else.',
  FLOWS_NEWER: 'The flow database was written by a newer version of svc and is unchanged.',
  FLOWS_PERSIST_FAILED: 'The flow database cannot be written.',
  FLOWS_UNCERTAIN: 'A change was made, but the disk could not be synced: a power cut can undo it.',
  FLOW_ENDED: 'The flow has already ended and cannot change.',
  FLOW_NOT_FOUND: 'No flow has this ID, or several start with it.',
  FORGET_FAILED: 'A note, its backup or the forget list could not be written.',
  FORGET_ID_UNKNOWN: 'Nothing was forgotten under this ID.',
  FORGET_LIST_INVALID:
    'The forget list is damaged or cannot be read, and memory is not indexed without it.',
  FORGET_NOTHING: 'Nothing matched what should be forgotten.',
  FORGET_OUTDATED:
    'A file changed after the preview, or other hosts kept forgetting, so nothing was forgotten.',
  HANDLES_EXHAUSTED: 'The process or the system has no file handles left, so nothing was changed.',
  IMPORT_CONFLICT: 'Files to be imported already exist with other content, so nothing was written.',
  IMPORT_FAILED: 'A file could not be read or written during the import.',
  INDEX_CORRUPT: 'The index database is damaged and could not be rebuilt.',
  INDEX_DISK_FULL: 'The disk filled up while indexing; everything committed before is kept.',
  INDEX_LOCKED: 'Another process is writing the index and did not finish in time.',
  INDEX_NEWER: 'The index was written by a newer version of svc and is unchanged.',
  INDEX_UNWRITABLE: 'The index cannot be written.',
  INTEGRATION_CONFLICT:
    "The agent's configuration already has an entry of this name that is not from svc.",
  INTEGRATION_FILE_INVALID:
    "The agent's configuration file is not valid or cannot be read, and is unchanged.",
  INTEGRATION_OUTDATED: "The agent's configuration file changed after the preview.",
  INTEGRATION_WRITE_FAILED: "The agent's configuration file could not be written and is unchanged.",
  LIBRARY_INSTALL_FAILED:
    'The library for a kind of document could not be installed; nothing was left half done.',
  LISTEN_FAILED: 'The listener cannot use the configured address.',
  LOG_MISSING: 'There is no log yet.',
  MCP_TOKEN_EXISTS: 'There is a token with this name already.',
  MCP_TOKEN_UNKNOWN: 'There is no token with this name.',
  MCP_TOKEN_UNUSABLE: 'The token file for MCP over HTTP is unsafe, damaged or cannot be created.',
  MEMORY_DISABLED: 'Memory search is off for this agent.',
  NOTE_BUSY: 'A note kept changing, so nothing was written.',
  NOTE_FILE_REFUSED:
    'The note is read-only, a symbolic link, not a UTF-8 text file, or too large to be changed.',
  NOTE_FORGOTTEN: 'The text to add was forgotten before.',
  NOTE_OVER_BUDGET:
    '`MEMORY.md` would be larger than its budget; only what a person adds is written anyway.',
  NOTE_SECRET: 'The text to add looks like it contains a secret.',
  NOTE_WRITE_UNKNOWN: 'There is no such write to undo.',
  NOTIFICATION_DELIVERED: 'The notification was already delivered.',
  NOTIFICATION_NOT_FOUND: 'No notification has this number or ID, or it is for several targets.',
  NOTIFICATION_TARGET_UNKNOWN: 'The target of the notification is no longer configured.',
  NOTIFY_SECRET_INVALID:
    'The secret of a notification target starts with whsec_ but is not Base64 after it.',
  ORIGIN_UNKNOWN: 'No host of this name indexes into a shared memory.',
  PROGRAM_CHANGED: 'A file of svc is missing, for example after an upgrade of a running svc.',
  PROVIDER_ANSWER_INVALID:
    'The embedding provider returned something other than the requested vectors.',
  PROVIDER_AUTH: 'The embedding provider has no key or rejected it.',
  PROVIDER_INSTALL_FAILED:
    'The runtime for local models could not be installed; nothing was left half done.',
  PROVIDER_LOGIN_FAILED: 'The login to the embedding provider failed.',
  PROVIDER_MODEL_UNKNOWN: 'The embedding provider does not have the configured model.',
  PROVIDER_NOT_SET_UP:
    'The embedding provider needs something that is not installed or configured.',
  PROVIDER_OVERLOADED: 'The embedding provider is temporarily overloaded or failing.',
  PROVIDER_QUOTA: 'The account with the embedding provider has no credit or quota left.',
  PROVIDER_RATE_LIMITED:
    'The embedding provider kept rejecting requests because of its rate limit.',
  PROVIDER_REFUSED: 'The embedding provider rejected a request.',
  PROVIDER_TIMEOUT: 'The embedding provider did not answer in time.',
  PROVIDER_UNREACHABLE: 'The embedding provider cannot be reached.',
  REPORT_WRITE_FAILED: 'The bug report could not be written.',
  RUNTIME_PROGRAM_MISSING:
    'A program named in flows.runtimes or flows.notify does not exist or cannot be run.',
  SCHEDULE_INVALID: 'The fields of the schedule make no valid flow.',
  SEARCH_LOG_UNUSABLE: 'The search log cannot be read or written.',
  SECRET_UNRESOLVED: 'A secret could not be read from its variable, file or program.',
  SERVE_RUNNING: 'Another `svc serve` uses the same state folder.',
  SESSION_UNKNOWN: 'No conversation has this ID.',
  SQLITE_UNUSABLE: 'The native SQLite module was built for another Node.js and cannot be loaded.',
  STATE_UNWRITABLE: 'The state folder cannot be written.',
  STORAGE_BUSY:
    'Other hosts kept changing the same rows of the PostgreSQL server, removed this one, or used it while it was copied.',
  STORAGE_FAILED: 'The PostgreSQL server failed.',
  STORAGE_FULL: 'The disk of the PostgreSQL server is full.',
  STORAGE_NEWER: 'The tables on the PostgreSQL server belong to a newer version of svc.',
  STORAGE_OUTDATED:
    'The tables on the PostgreSQL server are missing or of an older version of svc.',
  STORAGE_REFUSED:
    'The PostgreSQL server refused the login, the role lacks a right, or the server is read-only.',
  STORAGE_TOKENIZER: 'Hosts that share a memory must use the same tokenizer.',
  STORAGE_UNCERTAIN: 'The connection to the PostgreSQL server was lost during a commit.',
  STORAGE_UNREACHABLE: 'The PostgreSQL server does not answer, or has no free connection.',
  STORAGE_UNSUPPORTED:
    'The PostgreSQL server is older than version 15, or its database does not store text as UTF-8.',
  SYSTEM_REFUSED: 'The system refused to read or write a file.',
  TASK_ENDED: 'The task has already ended.',
  TASK_LEASE_LOST: 'The lease token is wrong, or the lease expired.',
  TASK_NOT_FOUND: 'No task has this ID, or several start with it.',
  TASK_NOT_RETRYABLE:
    'Only a task that failed, timed out, was cancelled or got lost can be retried.',
  UPGRADE_CHECK_FAILED: 'The newest version of svc could not be read from the registry of npm.',
  WEBHOOKS_DISABLED: 'Webhooks or the route are off.',
  WEBHOOK_UNREACHABLE: 'The webhook listener cannot be reached or gave an unexpected answer.',
  WORKSPACE_MISSING: 'The workspace folder does not exist.',
  WORKSPACE_UNREADABLE: 'The workspace is not a folder or cannot be read.',
};

/** The command line or the configuration has to be changed. */
const MISUSES = {
  AGENT_UNKNOWN: 'The agent is not in the configuration.',
  CONFIG_INVALID: 'The configuration does not match its schema.',
  CONFIG_KEY_UNKNOWN: 'The schema has no such key.',
  CONFIG_NOT_FOUND: 'The configuration file named by --config or SVC_CONFIG does not exist.',
  CONFIG_SYNTAX:
    'The configuration file is not valid JSON, even with comments and trailing commas allowed.',
  CONFIG_UNREADABLE: 'The configuration file cannot be read.',
  CONFIG_UNTRUSTED: 'The configuration file sets risky keys and is not trusted.',
  CONFIRMATION_NEEDED: 'The command needs a confirmation and there is no terminal to ask on.',
  EVAL_BASELINE_INVALID: 'The baseline cannot be read or belongs to other questions.',
  EVAL_QUESTIONS_INVALID: 'The questions file is not valid.',
  IMPORT_INVALID: 'The file is not a complete svc export.',
  IMPORT_SOURCE_INVALID: 'The file of the other program cannot be used by svc config import.',
  IMPORT_SOURCE_MISSING: 'There is nothing of the other program there.',
  INTEGRATION_UNSUPPORTED: 'The agent does not support what was requested.',
  MCP_HTTP_INSECURE:
    'The MCP server would be reachable from other machines without what protects it.',
  NOTE_INVALID: 'The text, heading, tag or file cannot be added to memory.',
  PROVIDER_UNKNOWN: 'There is no embedding provider of this name.',
  RANGE_INVALID: 'The file has no such lines.',
  SCHEDULE_UNKNOWN: 'The schedule is not in the configuration.',
  STORAGE_URL_INVALID: '`storage.url` is not the URL of a PostgreSQL server.',
  TASK_RESULT_TOO_DEEP: 'The result of a task is nested too deeply.',
  USAGE: 'The command line is not valid.',
  WEBHOOK_ROUTE_UNKNOWN: 'The webhook route is not in the configuration.',
};

/** The command stopped before it was done, and nothing is wrong. */
const STOPS = {
  INTERRUPTED: {
    exit: 130,
    summary: 'The command was stopped with Ctrl-C; finished work is kept.',
  },
  WAIT_TIMED_OUT: {
    exit: 124,
    summary: 'The flow or task had not ended within `--timeout`; it continues.',
  },
} as const;

/** A member of the error registry. */
export type ErrorCode = keyof typeof FAILURES | keyof typeof MISUSES | keyof typeof STOPS;

function entriesOf(exit: ExitCode, summaries: Readonly<Record<string, string>>) {
  return Object.entries(summaries).map(([code, summary]) => [code, { exit, summary }] as const);
}

/** Every error code. Scripts match on them: a code is never renamed. */
export const ERROR_CODES = {
  ...Object.fromEntries([...entriesOf(1, FAILURES), ...entriesOf(2, MISUSES)]),
  ...STOPS,
} as Readonly<Record<ErrorCode, CodeEntry>>;

/** Whether a code, such as one that was stored, is one of {@link ERROR_CODES}. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}

/** Every warning code. A warning never changes the exit code; JSON results list it in `warnings[]`. */
export const WARNING_CODES = {
  BACKEND_FAILED:
    'The external search program failed or gave an unreadable answer; the built-in engine answered.',
  BACKEND_PAUSED: 'The external search program failed a moment ago and is not used for a while.',
  BACKEND_TIMEOUT:
    'The external search program took too long and was stopped; the built-in engine answered.',
  BACKEND_UNAVAILABLE: 'The external search program cannot be run; the built-in engine answered.',
  BEGINNING_TOO_SHORT:
    'Too many words start with this prefix, so it was searched for as a whole word.',
  CAPTURE_LIMITED: 'A conversation has more decisions than one run captures.',
  CAPTURE_MODEL_UNUSED:
    'The configured model was not used, so rules found the decisions of a conversation.',
  CONFIG_INVALID:
    'The configuration was changed, but faults that it had before are left; other commands refuse it.',
  CONFIG_UNTRUSTED:
    'The configuration file is not trusted, so its risky keys are ignored until you run `svc config trust`.',
  CONFIG_WARNING: 'The configuration works but looks unintended.',
  DREAM_EVALUATION_WORSE:
    'After the changes of a sweep, searches would find less of what was recalled.',
  DREAM_MODEL_UNUSED: 'The configured model was not used, so dreaming wrote its diary without one.',
  EMBEDDINGS_PENDING: 'Some passages have no vector yet; only keyword search finds them.',
  EMBEDDING_FAILED:
    'Some passages have no vector; only keyword search finds them until the next sync.',
  ENVIRONMENT_IGNORED:
    'A variable that Kubernetes sets for a service has the name of an svc variable, so it is ignored.',
  EXACT_IGNORED: 'The external search program decides how words match, so `--exact` had no effect.',
  EXCLUDES_EVERYTHING: 'Patterns exclude every note, so nothing is indexed.',
  FILES_SKIPPED: 'Some files could not be indexed; each is named with its reason.',
  FILTERED_BY_BUILTIN:
    'The external search program has no filters, so the built-in engine answered.',
  FORGET_UNFINISHED:
    'What was forgotten is no longer found, but its bytes remain in the index file until the next sync.',
  FORGOTTEN_BY_ONE_AGENT:
    'Another agent searches the same notes or conversations and still finds what was forgotten: each has a list of its own.',
  INDEX_BUSY: 'Another process is writing the index, so the answer may miss the newest changes.',
  INDEX_EMPTY: 'Nothing is indexed, so nothing can be found.',
  INDEX_OF_OTHER_WORKSPACE:
    'Another workspace with an agent of the same name used this index, so it was rebuilt.',
  INDEX_REBUILT: 'The index was damaged or of an older version and was rebuilt.',
  INDEX_STALE: 'The index could not be updated, so the answer may be out of date.',
  INTEGRATION_DOUBTFUL: 'The agent was registered but may be unable to start svc.',
  LOCAL_MODEL_UNUSED:
    '`local.modelPath` is set, but auto-detection cannot use it and selected something else.',
  MEDIA_UNAVAILABLE: 'The model cannot embed images and audio, so only their names are searched.',
  MEMORY_OVER_BUDGET:
    '`MEMORY.md` is larger than its budget; agents load it whole, so the next sweep makes room where it can.',
  NOTES_OUTSIDE_MEMORY:
    'The workspace has Markdown files, but none in MEMORY.md, USER.md or memory/.',
  PROVIDER_FALLBACK: 'The embedding provider failed and its fallback was used.',
  PROVIDER_UNAVAILABLE: 'No embedding provider could be used, so only keyword search answered.',
  QUERY_EMPTY: 'The query contains nothing to search for.',
  QUERY_SHORTENED: 'The query was too long; only its beginning was used.',
  RECALL_FAILED: 'Active memory failed to search or summarize; the turn continues with less.',
  RECALL_SWITCHES_RESET:
    'The file of conversations without recalls was damaged, so recalls are on again for all but the one that was switched.',
  RECALL_TIMED_OUT: 'Active memory took too long; the turn continues with what it had.',
  REPLAY_UNRECORDED: 'The delivery was replayed, but the replay could not be recorded.',
  RERANK_BUDGET_SPENT:
    'The budget of the reranker for today is spent; the results keep the order without it.',
  RERANK_FAILED: 'The reranker failed or took too long; the results keep the order without it.',
  SCOPE_DENIED: 'The rules of `memory.ext.scope` deny memory search in this conversation.',
  SEARCH_OFF: 'Memory search is off for every agent, so there was nothing to do.',
  SECRET_UNCHECKED: 'The secret is in a variable that is not set here, so it could not be checked.',
  SOURCE_OFF: 'The requested source is not searched in this configuration.',
  STORAGE_UNAVAILABLE: 'The shared store or the flow database cannot be used now.',
  VECTOR_EXTENSION_UNAVAILABLE:
    'The vector extension cannot be loaded; vectors are compared in process with the same results.',
} as const satisfies Record<string, string>;

/** A member of the warning registry. */
export type WarningCode = keyof typeof WARNING_CODES;

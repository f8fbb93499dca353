/** Exit codes of the program (docs/errors.md): 0 is success and never belongs to an error. */
type ExitCode = 1 | 2 | 124 | 130;

interface CodeEntry {
  /** What the process exits with when this error ends a command. */
  readonly exit: ExitCode;
  /** What happened, in one sentence for docs/errors.md. */
  readonly summary: string;
}

/** The command was right, but something failed. */
function failure(summary: string): CodeEntry {
  return { exit: 1, summary };
}

/** The command line or the configuration has to be changed. */
function misuse(summary: string): CodeEntry {
  return { exit: 2, summary };
}

/** Every error code. Scripts match on them: a code is never renamed. */
export const ERROR_CODES = {
  AGENT_UNKNOWN: misuse('The agent is not in the configuration.'),
  ARCHIVE_UNUSABLE: failure('The archive of conversations cannot be read or written.'),
  BUG: failure('svc itself failed.'),
  CAPTURE_UNREADABLE: failure('The conversation to capture cannot be read.'),
  CONFIG_EXISTS: failure('The configuration file already exists.'),
  CONFIG_INVALID: misuse('The configuration does not match its schema.'),
  CONFIG_KEY_UNKNOWN: misuse('The schema has no such key.'),
  CONFIG_NOT_FOUND: misuse(
    'The configuration file named by --config or SVC_CONFIG does not exist.',
  ),
  CONFIG_SYNTAX: misuse(
    'The configuration file is not valid JSON, even with comments and trailing commas allowed.',
  ),
  CONFIG_UNREADABLE: misuse('The configuration file cannot be read.'),
  CONFIG_UNTRUSTED: misuse('The configuration file sets risky keys and is not trusted.'),
  CONFIG_WRITE_FAILED: failure('The configuration file could not be written and is unchanged.'),
  CONFIRMATION_NEEDED: misuse(
    'The command needs a confirmation and there is no terminal to ask on.',
  ),
  DELIVERIES_UNUSABLE: failure(
    'The record of webhook deliveries is damaged, unreadable or of a newer version of svc.',
  ),
  DELIVERY_NOT_FOUND: failure('No recorded delivery has this ID, or several start with it.'),
  DELIVERY_NOT_REPLAYABLE: failure('The body of the delivery was not kept as it was sent.'),
  DOCUMENT_ELSEWHERE: failure('The file is on another host of a shared memory.'),
  DOCUMENT_NOT_INDEXED: failure('The file is not part of the index.'),
  DOCUMENT_UNREADABLE: failure('An indexed file cannot be read.'),
  DREAM_CLAIM_UNKNOWN: failure('Dreaming knows no claim with this key or text.'),
  DREAM_FILE_REFUSED: failure(
    'Dreaming refused to write to a symbolic link, a folder, or a file that is read-only or too large.',
  ),
  DREAM_MEMORY_BUSY: failure('MEMORY.md kept changing, so dreaming wrote nothing.'),
  DREAM_STORE_NEWER: failure('The dreaming database was written by a newer version of svc.'),
  DREAM_STORE_UNUSABLE: failure('The dreaming database cannot be read or written.'),
  DREAM_SWEEP_UNKNOWN: failure('There is no sweep with this ID.'),
  EVAL_BASELINE_INVALID: misuse('The baseline cannot be read or belongs to other questions.'),
  EVAL_QUESTIONS_INVALID: misuse('The questions file is not valid.'),
  EVAL_WRITE_FAILED: failure('The baseline or the drafted questions could not be written.'),
  EXPORT_WRITE_FAILED: failure('The export could not be written.'),
  FIX_OUTDATED: failure('What a fix would change is no longer as it was shown.'),
  FLOWS_BUSY: failure('Other processes kept the flow database locked, so nothing was changed.'),
  FLOWS_DAMAGED: failure('The flow database is damaged.'),
  FLOWS_FOREIGN: failure('The file at the path of the flow database is something else.'),
  FLOWS_NEWER: failure('The flow database was written by a newer version of svc and is unchanged.'),
  FLOWS_PERSIST_FAILED: failure('The flow database cannot be written.'),
  FLOWS_UNCERTAIN: failure(
    'A change was made, but the disk could not be synced: a power cut can undo it.',
  ),
  FLOW_ENDED: failure('The flow has already ended and cannot change.'),
  FLOW_NOT_FOUND: failure('No flow has this ID, or several start with it.'),
  FORGET_FAILED: failure('A note, its backup or the forget list could not be written.'),
  FORGET_ID_UNKNOWN: misuse('Nothing was forgotten under this ID.'),
  FORGET_LIST_INVALID: failure(
    'The forget list is damaged or cannot be read, and memory is not indexed without it.',
  ),
  FORGET_NOTHING: failure('Nothing matched what should be forgotten.'),
  FORGET_OUTDATED: failure('A file changed after the preview, so nothing was forgotten.'),
  HANDLES_EXHAUSTED: failure(
    'The process or the system has no file handles left, so nothing was changed.',
  ),
  IMPORT_CONFLICT: failure(
    'Files to be imported already exist with other content, so nothing was written.',
  ),
  IMPORT_FAILED: failure('A file could not be read or written during the import.'),
  IMPORT_INVALID: misuse('The file is not a complete svc export.'),
  IMPORT_SOURCE_INVALID: misuse(
    'The file of the other program cannot be used by svc config import.',
  ),
  IMPORT_SOURCE_MISSING: misuse('There is nothing of the other program there.'),
  INDEX_CORRUPT: failure('The index database is damaged and could not be rebuilt.'),
  INDEX_DISK_FULL: failure(
    'The disk filled up while indexing; everything committed before is kept.',
  ),
  INDEX_LOCKED: failure('Another process is writing the index and did not finish in time.'),
  INDEX_NEWER: failure('The index was written by a newer version of svc and is unchanged.'),
  INDEX_UNWRITABLE: failure('The index cannot be written.'),
  INTEGRATION_CONFLICT: failure(
    "The agent's configuration already has an entry of this name that is not from svc.",
  ),
  INTEGRATION_FILE_INVALID: failure(
    "The agent's configuration file is not valid or cannot be read, and is unchanged.",
  ),
  INTEGRATION_OUTDATED: failure("The agent's configuration file changed after the preview."),
  INTEGRATION_UNSUPPORTED: misuse('The agent does not support what was requested.'),
  INTEGRATION_WRITE_FAILED: failure(
    "The agent's configuration file could not be written and is unchanged.",
  ),
  INTERRUPTED: {
    exit: 130,
    summary: 'The command was stopped with Ctrl-C; finished work is kept.',
  },
  LISTEN_FAILED: failure('The listener cannot use the configured address.'),
  LOG_MISSING: failure('There is no log yet.'),
  MCP_HTTP_INSECURE: misuse(
    'The MCP server would be reachable from other machines without what protects it.',
  ),
  MCP_TOKEN_EXISTS: failure('There is a token with this name already.'),
  MCP_TOKEN_UNKNOWN: failure('There is no token with this name.'),
  MCP_TOKEN_UNUSABLE: failure(
    'The token file for MCP over HTTP is unsafe, damaged or cannot be created.',
  ),
  LIBRARY_INSTALL_FAILED: failure(
    'The library for a kind of document could not be installed; nothing was left half done.',
  ),
  MEMORY_DISABLED: failure('Memory search is off for this agent.'),
  NOTE_BUSY: failure('A note kept changing, so nothing was written.'),
  NOTE_FILE_REFUSED: failure(
    'The note is read-only, a symbolic link, not a UTF-8 text file, or too large to be changed.',
  ),
  NOTE_FORGOTTEN: failure('The text to add was forgotten before.'),
  NOTE_INVALID: misuse('The text, heading, tag or file cannot be added to memory.'),
  NOTE_OVER_BUDGET: failure(
    '`MEMORY.md` would be larger than its budget; only what a person adds is written anyway.',
  ),
  NOTE_SECRET: failure('The text to add looks like it contains a secret.'),
  NOTE_WRITE_UNKNOWN: failure('There is no such write to undo.'),
  NOTIFICATION_DELIVERED: failure('The notification was already delivered.'),
  NOTIFICATION_NOT_FOUND: failure(
    'No notification has this number or ID, or it is for several targets.',
  ),
  NOTIFICATION_TARGET_UNKNOWN: failure('The target of the notification is no longer configured.'),
  NOTIFY_SECRET_INVALID: failure(
    'The secret of a notification target starts with whsec_ but is not Base64 after it.',
  ),
  PROGRAM_CHANGED: failure(
    'A file of svc is missing, for example after an upgrade of a running svc.',
  ),
  PROVIDER_ANSWER_INVALID: failure(
    'The embedding provider returned something other than the requested vectors.',
  ),
  ORIGIN_UNKNOWN: failure('No host of this name indexes into a shared memory.'),
  PROVIDER_AUTH: failure('The embedding provider has no key or rejected it.'),
  PROVIDER_INSTALL_FAILED: failure(
    'The runtime for local models could not be installed; nothing was left half done.',
  ),
  PROVIDER_LOGIN_FAILED: failure('The login to the embedding provider failed.'),
  PROVIDER_MODEL_UNKNOWN: failure('The embedding provider does not have the configured model.'),
  PROVIDER_NOT_SET_UP: failure(
    'The embedding provider needs something that is not installed or configured.',
  ),
  PROVIDER_OVERLOADED: failure('The embedding provider is temporarily overloaded or failing.'),
  PROVIDER_QUOTA: failure('The account with the embedding provider has no credit or quota left.'),
  PROVIDER_RATE_LIMITED: failure(
    'The embedding provider kept rejecting requests because of its rate limit.',
  ),
  PROVIDER_REFUSED: failure('The embedding provider rejected a request.'),
  PROVIDER_TIMEOUT: failure('The embedding provider did not answer in time.'),
  PROVIDER_UNKNOWN: misuse('There is no embedding provider of this name.'),
  PROVIDER_UNREACHABLE: failure('The embedding provider cannot be reached.'),
  RANGE_INVALID: misuse('The file has no such lines.'),
  REPORT_WRITE_FAILED: failure('The bug report could not be written.'),
  RUNTIME_PROGRAM_MISSING: failure(
    'A program named in flows.runtimes or flows.notify does not exist or cannot be run.',
  ),
  SCHEDULE_INVALID: failure('The fields of the schedule make no valid flow.'),
  SCHEDULE_UNKNOWN: misuse('The schedule is not in the configuration.'),
  SEARCH_LOG_UNUSABLE: failure('The search log cannot be read or written.'),
  SECRET_UNRESOLVED: failure('A secret could not be read from its variable, file or program.'),
  SERVE_RUNNING: failure('Another `svc serve` uses the same state folder.'),
  SESSION_UNKNOWN: misuse('No conversation has this ID.'),
  SQLITE_UNUSABLE: failure(
    'The native SQLite module was built for another Node.js and cannot be loaded.',
  ),
  STATE_UNWRITABLE: failure('The state folder cannot be written.'),
  SYSTEM_REFUSED: failure('The system refused to read or write a file.'),
  STORAGE_BUSY: failure(
    'Other hosts kept changing the same rows of the PostgreSQL server, removed this one, or used it while it was copied.',
  ),
  STORAGE_FAILED: failure('The PostgreSQL server failed.'),
  STORAGE_FULL: failure('The disk of the PostgreSQL server is full.'),
  STORAGE_NEWER: failure('The tables on the PostgreSQL server belong to a newer version of svc.'),
  STORAGE_OUTDATED: failure(
    'The tables on the PostgreSQL server are missing or of an older version of svc.',
  ),
  STORAGE_REFUSED: failure(
    'The PostgreSQL server refused the login, the role lacks a right, or the server is read-only.',
  ),
  STORAGE_TOKENIZER: failure('Hosts that share a memory must use the same tokenizer.'),
  STORAGE_UNCERTAIN: failure('The connection to the PostgreSQL server was lost during a commit.'),
  STORAGE_UNREACHABLE: failure('The PostgreSQL server does not answer.'),
  STORAGE_UNSUPPORTED: failure(
    'The PostgreSQL server is older than version 15, or its database does not store text as UTF-8.',
  ),
  STORAGE_URL_INVALID: misuse('`storage.url` is not the URL of a PostgreSQL server.'),
  TASK_ENDED: failure('The task has already ended.'),
  TASK_LEASE_LOST: failure('The lease token is wrong, or the lease expired.'),
  TASK_NOT_FOUND: failure('No task has this ID, or several start with it.'),
  TASK_NOT_RETRYABLE: failure(
    'Only a task that failed, timed out, was cancelled or got lost can be retried.',
  ),
  TASK_RESULT_TOO_DEEP: misuse('The result of a task is nested too deeply.'),
  UPGRADE_CHECK_FAILED: failure(
    'The newest version of svc could not be read from the registry of npm.',
  ),
  USAGE: misuse('The command line is not valid.'),
  WAIT_TIMED_OUT: {
    exit: 124,
    summary: 'The flow or task had not ended within `--timeout`; it continues.',
  },
  WEBHOOKS_DISABLED: failure('Webhooks or the route are off.'),
  WEBHOOK_ROUTE_UNKNOWN: misuse('The webhook route is not in the configuration.'),
  WEBHOOK_UNREACHABLE: failure(
    'The webhook listener cannot be reached or gave an unexpected answer.',
  ),
  WORKSPACE_MISSING: failure('The workspace folder does not exist.'),
  WORKSPACE_UNREADABLE: failure('The workspace is not a folder or cannot be read.'),
} as const satisfies Record<string, CodeEntry>;

/** A member of the error registry. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** Whether a code, such as one that was stored, is one of {@link ERROR_CODES}. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}

/** Every warning code. A warning never changes the exit code; JSON results list it in `warnings[]`. */
export const WARNING_CODES = {
  BACKEND_FAILED:
    'The external search program failed or gave an unreadable answer; the builtin engine answered.',
  BACKEND_PAUSED: 'The external search program failed a moment ago and is not used for a while.',
  BACKEND_TIMEOUT:
    'The external search program took too long and was stopped; the builtin engine answered.',
  BACKEND_UNAVAILABLE: 'The external search program cannot be run; the builtin engine answered.',
  BEGINNING_TOO_SHORT:
    'Too many words start with this prefix, so it was searched for as a whole word.',
  CAPTURE_LIMITED: 'A conversation has more decisions than one run captures.',
  CAPTURE_MODEL_UNUSED:
    'The configured model was not used, so rules found the decisions of a conversation.',
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
    'Another agent has the same workspace and still finds what was forgotten: each has a list of its own.',
  INDEX_BUSY: 'Another process is writing the index, so the answer may miss the newest changes.',
  INDEX_EMPTY: 'Nothing is indexed, so nothing can be found.',
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
  STORAGE_UNAVAILABLE: 'The shared store cannot be used now.',
  VECTOR_EXTENSION_UNAVAILABLE:
    'The vector extension cannot be loaded; vectors are compared in process with the same results.',
} as const satisfies Record<string, string>;

/** A member of the warning registry. */
export type WarningCode = keyof typeof WARNING_CODES;

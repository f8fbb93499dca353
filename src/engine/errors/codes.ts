/** Exit codes of the program (docs/errors.md): 0 is success and never belongs to an error. */
export type ExitCode = 1 | 2 | 130;

interface CodeEntry {
  /** What the process exits with when this error ends a command. */
  readonly exit: ExitCode;
  /** One line for docs/errors.md: when a person meets this code. */
  readonly summary: string;
}

/**
 * Every error code there is. A code is part of the public contract: scripts match on it.
 * docs/errors.md lists the same codes, held equal by a test.
 */
export const ERROR_CODES = {
  AGENT_UNKNOWN: { exit: 2, summary: 'The named agent is not in the configuration.' },
  BUG: { exit: 1, summary: 'Something in svc itself went wrong; please report it.' },
  CONFIG_EXISTS: {
    exit: 1,
    summary: 'A configuration file is there already and would be overwritten.',
  },
  CONFIG_INVALID: {
    exit: 2,
    summary: 'The configuration breaks its schema; every fault is listed.',
  },
  CONFIG_KEY_UNKNOWN: {
    exit: 2,
    summary: 'The named configuration path does not exist in the schema.',
  },
  CONFIG_NOT_FOUND: {
    exit: 2,
    summary: 'The configuration file named by --config or SVC_CONFIG is not there.',
  },
  CONFIG_SYNTAX: {
    exit: 2,
    summary: 'The configuration file is not JSON (comments and trailing commas are allowed).',
  },
  CONFIG_UNREADABLE: {
    exit: 2,
    summary: 'The configuration file cannot be read: permissions, a folder, or too large.',
  },
  CONFIG_WRITE_FAILED: {
    exit: 1,
    summary: 'The configuration file could not be written; the old one is unchanged.',
  },
  CONFIRMATION_NEEDED: {
    exit: 2,
    summary: 'The command asks before it acts, and there is no terminal to ask on; pass --yes.',
  },
  DOCUMENT_NOT_INDEXED: {
    exit: 1,
    summary: 'The path is not one of the files that the index covers.',
  },
  DOCUMENT_UNREADABLE: { exit: 1, summary: 'An indexed file is there but cannot be read.' },
  DREAM_CLAIM_UNKNOWN: {
    exit: 1,
    summary: 'No claim that dreaming knows has this key or text.',
  },
  DREAM_FILE_REFUSED: {
    exit: 1,
    summary: 'Dreaming does not write there: a symbolic link, a folder, or a file too large.',
  },
  DREAM_MEMORY_BUSY: {
    exit: 1,
    summary: 'MEMORY.md kept changing while dreaming was about to write it; nothing was written.',
  },
  DREAM_STORE_NEWER: {
    exit: 1,
    summary: 'What dreaming knows of the workspace was written by a newer version of svc.',
  },
  DREAM_STORE_UNUSABLE: {
    exit: 1,
    summary: 'What dreaming knows of the workspace cannot be read or written.',
  },
  DREAM_SWEEP_UNKNOWN: { exit: 1, summary: 'There is no sweep of that id.' },
  EVAL_BASELINE_INVALID: {
    exit: 2,
    summary: 'The baseline of an evaluation cannot be read, or is of other questions.',
  },
  EVAL_QUESTIONS_INVALID: {
    exit: 2,
    summary: 'A file of questions cannot be read; the faults and their lines are named.',
  },
  EVAL_WRITE_FAILED: {
    exit: 1,
    summary: 'A baseline or drafted questions could not be written.',
  },
  EXPORT_WRITE_FAILED: { exit: 1, summary: 'The export could not be written.' },
  FORGET_FAILED: {
    exit: 1,
    summary: 'A file, its backup or the list of what is forgotten could not be written.',
  },
  FORGET_ID_UNKNOWN: { exit: 2, summary: 'Nothing was forgotten under this id.' },
  FORGET_LIST_INVALID: {
    exit: 1,
    summary: 'The list of what is forgotten is damaged; memory is not indexed without it.',
  },
  FORGET_NOTHING: { exit: 1, summary: 'Nothing was found that could be forgotten.' },
  FORGET_OUTDATED: {
    exit: 1,
    summary: 'A file changed after it was shown what would be forgotten of it; nothing was done.',
  },
  FLOWS_BUSY: {
    exit: 1,
    summary: 'Other processes kept writing the database of flows; nothing was done.',
  },
  FLOWS_DAMAGED: { exit: 1, summary: 'The database of flows is damaged.' },
  FLOWS_FOREIGN: {
    exit: 1,
    summary: 'The file that should be the database of flows is something else.',
  },
  FLOWS_NEWER: {
    exit: 1,
    summary: 'A newer svc wrote the database of flows; it was left as it is.',
  },
  FLOWS_PERSIST_FAILED: {
    exit: 1,
    summary: 'The database of flows cannot be written, or its disk is full.',
  },
  FLOW_ENDED: { exit: 1, summary: 'The flow has ended, and what has ended stays so.' },
  FLOW_NOT_FOUND: { exit: 1, summary: 'No flow has this id, or more than one begins with it.' },
  HANDLES_EXHAUSTED: {
    exit: 1,
    summary: 'The process or the system has no file handles left; nothing was changed.',
  },
  IMPORT_CONFLICT: {
    exit: 1,
    summary: 'Files that would be imported are there with another content; nothing was written.',
  },
  IMPORT_FAILED: { exit: 1, summary: 'A file could not be read or written while importing.' },
  IMPORT_INVALID: {
    exit: 2,
    summary: 'The file is not a whole export of svc; the fault and its line are named.',
  },
  INDEX_CORRUPT: {
    exit: 1,
    summary: 'The index database is damaged and could not be rebuilt in place.',
  },
  INDEX_DISK_FULL: {
    exit: 1,
    summary: 'The disk filled up while indexing; what was committed before is kept.',
  },
  INDEX_LOCKED: {
    exit: 1,
    summary: 'Another process is writing this index and did not finish in time.',
  },
  INDEX_UNWRITABLE: { exit: 1, summary: 'The index folder or database cannot be written.' },
  INTEGRATION_CONFLICT: {
    exit: 1,
    summary: "The agent's configuration has an entry of that name that is not svc's.",
  },
  INTEGRATION_FILE_INVALID: {
    exit: 1,
    summary: "The agent's configuration file is broken or cannot be read; it was left as it is.",
  },
  INTEGRATION_OUTDATED: {
    exit: 1,
    summary: "The agent's configuration file is not as it was when the change was shown.",
  },
  INTEGRATION_UNSUPPORTED: {
    exit: 2,
    summary: 'The agent cannot be given what was asked for; the error says what to do instead.',
  },
  INTEGRATION_WRITE_FAILED: {
    exit: 1,
    summary: "The agent's configuration file could not be written; the old one is unchanged.",
  },
  INTERRUPTED: {
    exit: 130,
    summary: 'The person stopped the command (Ctrl-C); finished work is kept.',
  },
  LISTEN_FAILED: {
    exit: 1,
    summary: 'The address that is configured for the listener cannot be taken.',
  },
  LOG_MISSING: {
    exit: 1,
    summary: 'There is no log to show: `svc serve` has not written one yet.',
  },
  MCP_TOKEN_UNUSABLE: {
    exit: 1,
    summary: 'The file of the token for MCP over HTTP is unsafe, damaged or cannot be made.',
  },
  MEMORY_DISABLED: {
    exit: 1,
    summary: 'Memory search is switched off for this agent (memorySearch.enabled).',
  },
  MEND_OUTDATED: {
    exit: 1,
    summary: 'What a mend of svc config doctor would change is not as it was shown any more.',
  },
  NOTIFY_SECRET_INVALID: {
    exit: 1,
    summary: 'The secret of flows.notify begins with whsec_ and is no Base64 after it.',
  },
  PROVIDER_ANSWER_INVALID: {
    exit: 1,
    summary: 'The embedding provider answered with something other than the vectors asked for.',
  },
  PROVIDER_AUTH: {
    exit: 1,
    summary: 'The embedding provider has no key, or refused the one it was given.',
  },
  PROVIDER_INSTALL_FAILED: {
    exit: 1,
    summary: 'The runtime of local models could not be installed; nothing half-done is left.',
  },
  PROVIDER_LOGIN_FAILED: {
    exit: 1,
    summary: 'Signing in to the embedding provider did not succeed.',
  },
  PROVIDER_MODEL_UNKNOWN: {
    exit: 1,
    summary: 'The embedding provider does not have the configured model.',
  },
  PROVIDER_NOT_SET_UP: {
    exit: 1,
    summary: 'The embedding provider needs something that is not installed or not configured yet.',
  },
  PROVIDER_OVERLOADED: {
    exit: 1,
    summary: 'The embedding provider is overloaded or broken for the moment.',
  },
  PROVIDER_QUOTA: {
    exit: 1,
    summary: 'The account at the embedding provider has no balance or contingent left.',
  },
  PROVIDER_RATE_LIMITED: {
    exit: 1,
    summary: 'The embedding provider kept refusing requests as too many.',
  },
  PROVIDER_REFUSED: {
    exit: 1,
    summary: 'The embedding provider did not understand or accept a request.',
  },
  PROVIDER_TIMEOUT: { exit: 1, summary: 'The embedding provider did not answer in time.' },
  PROVIDER_UNKNOWN: {
    exit: 2,
    summary: 'There is no embedding provider of that name.',
  },
  PROVIDER_UNREACHABLE: {
    exit: 1,
    summary: 'The embedding provider cannot be reached.',
  },
  RANGE_INVALID: { exit: 2, summary: 'A line range does not exist in the file.' },
  REPORT_WRITE_FAILED: { exit: 1, summary: 'The bug report could not be written.' },
  RUNTIME_PROGRAM_MISSING: {
    exit: 1,
    summary: 'A program that flows.runtimes or flows.notify names is not there, or cannot be run.',
  },
  SECRET_UNRESOLVED: {
    exit: 1,
    summary: 'A referenced secret could not be read: variable, file or program.',
  },
  SERVE_RUNNING: {
    exit: 1,
    summary: 'Another `svc serve` runs for the same state folder.',
  },
  SQLITE_UNUSABLE: {
    exit: 1,
    summary: 'The native SQLite module was built for another Node.js and cannot be loaded.',
  },
  STATE_UNWRITABLE: {
    exit: 1,
    summary: 'What svc remembers from run to run cannot be written to its state folder.',
  },
  TASK_ENDED: { exit: 1, summary: 'The task has ended already.' },
  TASK_LEASE_LOST: {
    exit: 1,
    summary: 'The lease token is wrong, or the task was taken from its worker meanwhile.',
  },
  TASK_NOT_FOUND: { exit: 1, summary: 'No task has this id, or more than one begins with it.' },
  TASK_NOT_RETRYABLE: {
    exit: 1,
    summary: 'Only a task that failed, timed out, was cancelled or lost can be run again.',
  },
  USAGE: {
    exit: 2,
    summary: 'The command line is wrong: an unknown command, flag, argument or value.',
  },
  WEBHOOKS_DISABLED: {
    exit: 1,
    summary: 'Webhooks are switched off (plugins.entries.webhooks.enabled), or the route is.',
  },
  WEBHOOK_ROUTE_UNKNOWN: {
    exit: 2,
    summary: 'The named webhook route is not in the configuration.',
  },
  WEBHOOK_UNREACHABLE: {
    exit: 1,
    summary: 'The webhook listener cannot be reached, or did not answer like one.',
  },
  WORKSPACE_MISSING: { exit: 1, summary: 'The workspace folder does not exist.' },
  WORKSPACE_UNREADABLE: {
    exit: 1,
    summary: 'The workspace is there but is no folder, or cannot be read.',
  },
} as const satisfies Record<string, CodeEntry>;

/** A member of the error registry. */
export type ErrorCode = keyof typeof ERROR_CODES;

/**
 * Every warning code there is: a warning never changes the exit code, and stands in
 * `warnings[]` of JSON results.
 */
export const WARNING_CODES = {
  BACKEND_FAILED:
    'The external search program failed, or answered nothing readable; the builtin engine answered.',
  BACKEND_PAUSED: 'The external search program failed a moment ago and is left alone for a while.',
  BACKEND_TIMEOUT:
    'The external search program took too long and was ended; the builtin engine answered.',
  BACKEND_UNAVAILABLE: 'The external search program cannot be run; the builtin engine answered.',
  CONFIG_WARNING: 'The configuration works but looks unintended.',
  DREAM_MODEL_UNUSED: 'The model that dreaming should write with is not used; plain words are.',
  EMBEDDING_FAILED:
    'Some passages got no vector; they are found by their words alone until the next sync.',
  EMBEDDINGS_PENDING:
    'Not all passages have vectors yet; those without are found by their words alone.',
  FILES_SKIPPED: 'Some files could not be indexed; each is named with its reason.',
  FORGET_UNFINISHED:
    'What was forgotten is no longer found, but its bytes are in the index file until the next sync.',
  INDEX_BUSY:
    'Another process is writing the index; the answer comes from what was committed before.',
  INDEX_REBUILT: 'The index was unusable (damaged, or of another version) and was built anew.',
  INDEX_STALE: 'The index could not be brought up to date; the answer comes from what is there.',
  INTEGRATION_DOUBTFUL: 'The agent was registered, but may not be able to start svc.',
  MEDIA_UNAVAILABLE: 'Images and recordings are found by their names alone: the model takes none.',
  PROVIDER_FALLBACK: 'The embedding provider failed; its fallback embedded instead.',
  PROVIDER_UNAVAILABLE: 'No embedding provider can be used; the search was by words alone.',
  QUERY_EMPTY: 'The query holds nothing that can be searched for.',
  QUERY_SHORTENED: 'The query was longer than what is searched; only its first terms were used.',
  RECALL_FAILED:
    'Active memory could not search, or its model could not condense; the turn goes on with less.',
  RECALL_TIMED_OUT: 'Active memory took too long; the turn goes on with what there was by then.',
  SCOPE_DENIED:
    'The rules of memory.ext.scope close memory to this conversation; nothing was looked up.',
  SOURCE_OFF: 'A source was asked for that the configuration does not search.',
  VECTOR_EXTENSION_UNAVAILABLE:
    'The vector extension cannot be loaded; vectors are compared in process, with the same results.',
} as const satisfies Record<string, string>;

/** A member of the warning registry. */
export type WarningCode = keyof typeof WARNING_CODES;

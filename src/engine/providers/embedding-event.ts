/** Progress of embedding. */
export type EmbeddingEvent =
  /** A request was answered; `tokens` are estimated unless the vendor counts them. */
  | { readonly type: 'request.finished'; readonly tokens: number }
  /** Rate limited: all requests wait. `askedMs` is how long the vendor asks to wait, if it does. */
  | {
      readonly type: 'rate.limited';
      readonly waitMs: number;
      readonly askedMs?: number | undefined;
      readonly perSecond: number;
    }
  /** A request failed and will be retried. */
  | { readonly type: 'request.retried'; readonly why: string; readonly waitMs: number }
  /** Another process is downloading the model; this one waits. */
  | { readonly type: 'model.waiting' }
  /**
   * A local model is being downloaded; sent a few times a second. `total` is undefined if the host
   * does not report it.
   */
  | {
      readonly type: 'model.download';
      readonly bytes: number;
      readonly total: number | undefined;
      readonly bytesPerSecond: number | undefined;
    }
  /** A batch job was submitted; `resumed` if in an earlier run. `job` below is its id. */
  | { readonly type: 'batch.submitted'; readonly inputs: number; readonly resumed: boolean }
  /** A job is still running; counts are inputs, if the vendor reports them. */
  | {
      readonly type: 'batch.progress';
      readonly job: string;
      readonly done: number | undefined;
      readonly total: number;
    }
  /**
   * A job ended or was rejected. What it `left` is embedded inline, unless its text is gone; `why` is set if it did
   * not complete.
   */
  | {
      readonly type: 'batch.ended';
      readonly job: string;
      readonly embedded: number;
      readonly left: number;
      readonly why: string | undefined;
    }
  /** Jobs keep failing: the rest of the run is embedded inline. */
  | { readonly type: 'batch.off'; readonly why: string }
  /** The run ends without waiting for its jobs; a later run collects them. */
  | { readonly type: 'batch.pending'; readonly jobs: number; readonly inputs: number };

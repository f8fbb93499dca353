/** Identifies the vectors of a benchmark. */
export const IDENTITY = 'bench';

/** Number of nearest vectors per query. */
export const RESULT_COUNT = 10;

/** What the vectors of a measurement are kept under. */
export const IDENTITY = 'bench';

/** Nearest vectors that are asked for. */
export const WANTED = 10;

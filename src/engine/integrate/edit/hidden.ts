/** What stands for a value that is not shown. */
export const HIDDEN = '…';

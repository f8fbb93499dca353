import { createStyle, type View } from '../../src/ui/style.js';

/** How text is shown in a pipe: without colours and at any width. */
export const PIPED_VIEW: View = {
  style: createStyle(false),
  columns: undefined,
  nowMs: 0,
  homeDir: '/',
  hintFor: String,
};

/* What is kept out of memory: the list of forgotten text, and how that text is recognized. */

export {
  type ChangedFile,
  emptyForgetList,
  type ForgetEntry,
  type ForgetList,
  type ForgetPlaces,
  forgetMark,
  forgetPlaces,
  isFollowed,
  newSalt,
  noteFollowed,
  readForgetList,
  readForgotten,
  writeForgetList,
} from './forget-list.js';
export {
  DISTINCTIVE_BYTES,
  Forgotten,
  hashesOf,
  hasWords,
  lineHash,
  NOTHING_FORGOTTEN,
  rangesOf,
  wordsOf,
} from './forgotten.js';

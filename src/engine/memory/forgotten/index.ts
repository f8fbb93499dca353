/* What is kept out of memory: the list of forgotten text, and how that text is recognized. */

export {
  type ChangedFile,
  emptyForgetList,
  type ForgetEntry,
  type ForgetList,
  type ForgetPlaces,
  forgetPlaces,
  newSalt,
  readForgetList,
  readForgotten,
  writeForgetList,
} from './forget-list.js';
export {
  Forgotten,
  hashesOf,
  lineHash,
  NOTHING_FORGOTTEN,
  rangesOf,
  saysSomething,
  TELLING_BYTES,
  wordsOf,
} from './forgotten.js';

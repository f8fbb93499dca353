export { type ChatChoice, chooseChatModel } from './choose-chat-model.js';
export type { ChatModel } from './open-chat-model.js';
export { openChatModel } from './open-chat-model.js';

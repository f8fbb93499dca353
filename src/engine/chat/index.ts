export { type ChatChoice, chooseChatModel } from './choose-chat-model.js';
export { type ChatModel, openChatModel } from './open-chat-model.js';

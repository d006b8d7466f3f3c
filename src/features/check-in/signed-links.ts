import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Day, dayAt, numberOf } from '../schedules/day.js';

/** What a link of a message completes: one task on one day. */
export interface SignedCheckIn {
  userId: string;
  taskId: number;
  day: Day;
}

const VERSION = 1;

/** Where each part ends, in bytes: version, user, task in 48 bits, day. */
const USER_END = 17;
const TASK_END = 23;
const DAY_END = 26;
const LENGTH = DAY_END + 16;

/** Makes and reads the links of messages, which are kept nowhere: whoever has the secret can tell them from others. */
export class SignedLinks {
  private readonly key: Buffer;

  constructor(secret: string) {
    this.key = createHmac('sha256', secret).update('check-in links of messages').digest();
  }

  make({ userId, taskId, day }: SignedCheckIn): string {
    const content = Buffer.alloc(DAY_END);
    content[0] = VERSION;
    content.write(userId.replaceAll('-', ''), 1, 'hex');
    content.writeUIntBE(taskId, USER_END, TASK_END - USER_END);
    content.writeUIntBE(numberOf(day), TASK_END, DAY_END - TASK_END);
    return Buffer.concat([content, this.mark(content)]).toString('base64url');
  }

  /** Undefined for what is none of ours. */
  read(token: string): SignedCheckIn | undefined {
    const bytes = Buffer.from(token, 'base64url');
    if (bytes.length !== LENGTH || bytes.toString('base64url') !== token) return undefined;
    const content = bytes.subarray(0, DAY_END);
    if (!timingSafeEqual(this.mark(content), bytes.subarray(DAY_END))) return undefined;
    const userId = content
      .toString('hex', 1, USER_END)
      .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
    const taskId = content.readUIntBE(USER_END, TASK_END - USER_END);
    return { userId, taskId, day: dayAt(content.readUIntBE(TASK_END, DAY_END - TASK_END)) };
  }

  private mark(content: Buffer): Buffer {
    return createHmac('sha256', this.key)
      .update(content)
      .digest()
      .subarray(0, LENGTH - DAY_END);
  }
}

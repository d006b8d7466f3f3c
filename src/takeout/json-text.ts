import { isUtf8 } from 'node:buffer';
import { invalid } from '../errors.js';
import { letOthersIn } from '../queues/long-turns.js';

/** The bytes of one value. */
export interface Span {
  begin: number;
  end: number;
}

/** A value in an object or a list, with its name in the object. */
interface Part extends Span {
  name: string;
}

/** In bytes: how much is scanned in one turn of the event loop. */
const IN_ONE_TURN = 65_536;

/** In bytes: what is parsed at once, in some 50 ms at worst. A task is smaller, even if every character is escaped. */
const MOST_AT_ONCE = 262_144;

const [QUOTE, BACKSLASH, COMMA, COLON] = [...'"\\,:'].map((sign) => sign.charCodeAt(0));
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [...'{}[]'].map((sign) => sign.charCodeAt(0));
const SPACES = new Set([...' \t\r\n'].map((sign) => sign.charCodeAt(0)));

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

const notJson = () => invalid('The file is not valid JSON');
const tooEmpty = () => invalid(`The file has more than ${IN_ONE_TURN} bytes of white space in a row`);

/**
 * A JSON document that is parsed value by value, since parsing a large one at once would stop everybody: with ten
 * thousands of different names for seconds. What nobody asks for is passed over.
 */
export class JsonText {
  private turnAt = 0;

  constructor(private readonly text: Buffer) {
    if (!isUtf8(text)) throw notJson();
  }

  get root(): Span {
    const hasMark = this.text.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
    let end = this.text.length;
    while (SPACES.has(this.text[end - 1] ?? 0)) end -= 1;
    if (this.text.length - end > IN_ONE_TURN) throw tooEmpty();
    return { begin: this.afterSpace(hasMark ? BYTE_ORDER_MARK.length : 0), end };
  }

  isObject = ({ begin }: Span): boolean => this.text[begin] === OPEN_OBJECT;

  isList = ({ begin }: Span): boolean => this.text[begin] === OPEN_LIST;

  parse({ begin, end }: Span): unknown {
    if (end - begin > MOST_AT_ONCE) throw invalid(`A value is larger than ${MOST_AT_ONCE} bytes`);
    try {
      return JSON.parse(this.text.toString('utf8', begin, end));
    } catch {
      throw notJson();
    }
  }

  /** The members of an object, or the items of a list. What is between them is checked, and they are when parsed. */
  async *partsOf(whole: Span): AsyncGenerator<Part> {
    const { text } = this;
    const isObject = this.isObject(whole);
    const last = whole.end - 1;
    if (text[last] !== (isObject ? CLOSE_OBJECT : CLOSE_LIST)) throw notJson();
    this.turnAt = whole.begin + IN_ONE_TURN;
    let at = this.afterSpace(whole.begin + 1);
    while (at < last) {
      let name = '';
      if (isObject) {
        const end = await this.endOfValue(at, last);
        if (text[at] !== QUOTE) throw notJson();
        name = String(this.parse({ begin: at, end }));
        at = this.afterSpace(end);
        if (text[at] !== COLON) throw notJson();
        at = this.afterSpace(at + 1);
      }
      const end = await this.endOfValue(at, last);
      yield { name, begin: at, end };
      at = this.afterSpace(end);
      if (at === last) return;
      if (text[at] !== COMMA) throw notJson();
      at = this.afterSpace(at + 1);
      if (at === last) throw notJson();
    }
  }

  /** Finds the end by brackets and quotation marks alone. */
  private async endOfValue(begin: number, limit: number): Promise<number> {
    let depth = 0;
    let isInString = false;
    let at = begin;
    for (; at < limit; at += 1) {
      if (at >= this.turnAt) {
        this.turnAt = at + IN_ONE_TURN;
        await letOthersIn();
      }
      const byte = this.text[at] ?? 0;
      if (isInString) {
        if (byte === BACKSLASH) at += 1;
        isInString = byte !== QUOTE;
        if (!isInString && depth === 0) return at + 1;
      } else if (byte === QUOTE) {
        isInString = true;
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        depth += 1;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        depth -= 1;
        if (depth === 0) return at + 1;
      } else if (depth === 0 && (byte === COMMA || byte === COLON || SPACES.has(byte))) {
        break;
      }
    }
    if (at === begin || at > limit || depth !== 0 || isInString) throw notJson();
    return at;
  }

  private afterSpace(begin: number): number {
    let at = begin;
    while (SPACES.has(this.text[at] ?? 0)) {
      at += 1;
      if (at - begin > IN_ONE_TURN) throw tooEmpty();
    }
    return at;
  }
}

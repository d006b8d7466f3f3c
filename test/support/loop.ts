import { crc32, deflateRawSync } from 'node:zlib';

interface Put {
  name: string;
  text: string | Buffer;
  method?: number;
  flags?: number;
  /** What the archive says of the size, if that is not true. */
  size?: number;
}

/** A ZIP archive of these files, as Java's library writes one. */
export function zipOf(files: Record<string, string> | Put[]): Buffer {
  const list: Put[] = Array.isArray(files)
    ? files
    : Object.entries(files).map(([name, text]) => ({ name, text }));
  const bodies: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const { name, text, method = 8, flags = 0x0808, size } of list) {
    const bytes = Buffer.from(text as string);
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const label = Buffer.from(name);
    const local = Buffer.alloc(30); // sizes and checksum follow the data, as bit 3 says
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(label.length, 26);
    const after = Buffer.alloc(16);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(flags, 8);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(crc32(bytes), 16);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(size ?? bytes.length, 24);
    entry.writeUInt16LE(label.length, 28);
    entry.writeUInt32LE(at, 42);
    bodies.push(local, label, packed, after);
    entries.push(entry, label);
    at += local.length + label.length + packed.length + after.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(list.length, 8);
  end.writeUInt16LE(list.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...bodies, directory, end]);
}

/** The columns of release 2.3.1, and those of 1.8 and 2.0. */
export const HEADS = {
  now: 'Position,Name,Type,Question,Description,FrequencyNumerator,FrequencyDenominator,Color,Unit,Target Type,Target Value,Archived?',
  before: 'Position,Name,Question,Description,NumRepetitions,Interval,Color',
  first: 'Name,Description,NumRepetitions,Interval,Color',
};

/** An export of Loop with something of everything that it may hold. */
export const loopFiles = (): Record<string, string> => ({
  'Habits.csv': [
    HEADS.now,
    '001,Meditate,YES_NO,Did you meditate?,Ten minutes,1,1,#FF8F00,,,,false',
    '002,"Wake up, early",YES_NO,,,2,3,#00897B,,,,false',
    '003,Lauf 😀,NUMERICAL,How far?,,1,1,#7CB342,km,AT_LEAST,5.0,false',
    '004,Cigarettes,NUMERICAL,,,1,1,#757575,,AT_MOST,2.0,false',
    '005,"Old ""habit""",YES_NO,,,1,7,#D81B60,,,,true',
    '006,Meditate,YES_NO,,,1,1,,,,,false',
    '',
  ].join('\n'),
  '001 Meditate/Checkmarks.csv':
    'Date,Value,Notes\n2026-11-21,YES_MANUAL,\n2026-11-20,YES_MANUAL,"Calm, ""very""\nindeed"\n2026-11-19,SKIP,Ill\n2026-11-18,YES_MANUAL,\n',
  '001 Meditate/Scores.csv': 'Date,Score\n2026-11-21,0.1000\n',
  '002 Wake up early/Checkmarks.csv':
    'Date,Value,Notes\n2026-11-20,YES_AUTO,\n2026-11-19,YES_MANUAL,\n2026-11-18,NO,Sick\n2026-11-17,UNKNOWN,\n',
  '003 Lauf/Checkmarks.csv':
    'Date,Value,Notes\n2026-11-20,5000,\n2026-11-19,4999,\n2026-11-18,NO,\n2026-11-17,12500,far\n2026-11-16,SKIP,\n',
  '004 Cigarettes/Checkmarks.csv': 'Date,Value,Notes\n2026-11-20,NO,\n2026-11-19,2000,\n2026-11-18,3000,\n',
  '005 Old habit/Checkmarks.csv': 'Date,Value,Notes\n2020-02-29,YES_MANUAL,\n2020-02-28,YES_MANUAL,\n',
  '006 Meditate/Checkmarks.csv': 'Date,Value,Notes\n',
  'Checkmarks.csv': 'Date,Meditate,Wake up, early,\n2026-11-21,YES_MANUAL,UNKNOWN,\n',
  'Scores.csv': 'Date,Meditate,Wake up, early,\n',
});

/** Lines that say what of those files is not imported. */
export const LEFT_OUT = [
  '1 days that Loop filled in because of the frequency (YES_AUTO)',
  '2 days marked as not done (NO)',
  '1 days without an answer (UNKNOWN)',
  '1 notes of days that were neither done nor skipped',
  '2 questions of habits',
  '1 frequencies that Steady does not know: the nearest that asks for no more is taken',
  '1 units that are empty or have more than 30 characters: "times", or their beginning, is taken',
  'scores: Loop computes them',
  'reminders: Loop does not write them into this file',
];

import 'reflect-metadata';
import { Field, InputType } from 'type-graphql';
import { Clearable, Flag, limits, Omittable, Text, written } from '../../base/validation.js';
import { Name } from '../account/rules.js';
import { Section } from '../schedules/habit-rules.js';
import { scheduleLimits } from '../schedules/limits.js';

@InputType({ description: 'A calendar to make.' })
export class CreateCalendarFeedInput {
  @Field({
    description: `What the calendar is called where it is shown: not blank, at most ${written(limits.name)} characters, none of them invisible.`,
  })
  @Name({ max: limits.name })
  name!: string;

  @Field(() => String, {
    nullable: true,
    description: `Only tasks with this tag, in upper or lower case: at most ${scheduleLimits.tag} characters. Null means all.`,
  })
  @Clearable()
  @Text({ max: scheduleLimits.tag, blank: false })
  tag?: string | null;

  @Field(() => String, {
    nullable: true,
    description: `Only tasks of this section, in upper or lower case: at most ${scheduleLimits.section} characters. Null means all.`,
  })
  @Clearable()
  @Section()
  section?: string | null;

  @Field(() => Boolean, {
    defaultValue: false,
    description:
      'Whether entries of today have a link that completes the task. Then everybody who has the address can do that too.',
  })
  @Omittable()
  @Flag()
  links: boolean = false;
}

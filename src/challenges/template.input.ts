import { DurationDays, limits, Text } from '../validation.js';

/** A template that the operator adds. */
export class TemplateInput {
  @Text({ max: limits.title, blank: false, controls: false })
  title!: string;

  @Text({ max: limits.description, blank: false })
  description!: string;

  @DurationDays()
  durationDays!: number;
}

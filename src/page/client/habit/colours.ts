/** To choose from: everybody can tell them apart. A habit may have another one from elsewhere. */
export const COLOURS = ['RED', 'AMBER', 'GREEN', 'CYAN', 'BLUE', 'VIOLET', 'PINK', 'GREY'];

// What others publish of their prices, as figures with their source. They are prices of plans and products, not of the same
// thing: most have no price for a million visitors.

export const PUBLISHED = [
  {
    who: "Cloudflare Waiting Room",
    figure: "Business plan and above: $200 a month for a domain, billed annually, or $250; custom above",
    source: "https://developers.cloudflare.com/waiting-room/ and https://www.cloudflare.com/plans/",
  },
  {
    who: "smoketurner/virtual-waiting-room, in an AWS account",
    figure:
      "1,000,000 visitors, 10 min of countdown and up to 20 in line: CloudFront $215 / 3.9, WAF $129 / 3.9 + $123, API Gateway $10",
    source: "https://github.com/smoketurner/virtual-waiting-room/blob/main/docs/DESIGN.md (section 12)",
  },
  {
    who: "Queue-it",
    figure: "no price published; a competitor puts the least at about $10,000 a year",
    source: "https://github.com/smoketurner/virtual-waiting-room (README.md)",
  },
];

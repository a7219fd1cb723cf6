package platform

import "time"

// early is how long before a patch day Microsoft makes the bases that it publishes on that day. Of
// the bases in the histories of official images (https://github.com/docker-library/repo-info) most
// were made one to five days before.
const early = 7 * 24 * time.Hour

// Behind is how many patch days a base for Windows may be behind before that is reported: images
// are made again some days after a patch day, and not on it.
const Behind = 2

// PatchDay returns the day of a month on which Microsoft publishes updates, the second Tuesday
// (https://learn.microsoft.com/windows/deployment/update/release-cycle), at its begin in UTC.
func PatchDay(year int, month time.Month) time.Time {
	first := time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	return first.AddDate(0, 0, (int(time.Tuesday)-int(first.Weekday())+7)%7+7)
}

// PatchDays returns how many patch days have ended by now whose updates a base that was made at a
// time cannot have, and the last of them.
func PatchDays(made, now time.Time) (n int, last time.Time) {
	made, now = made.UTC(), now.UTC()
	for at := time.Date(made.Year(), made.Month(), 1, 0, 0, 0, 0, time.UTC); at.Before(now); at = at.AddDate(0, 1, 0) {
		day := PatchDay(at.Year(), at.Month())
		if day.Sub(made) > early && !now.Before(day.AddDate(0, 0, 1)) {
			n, last = n+1, day
		}
	}
	return n, last
}

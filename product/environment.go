package product

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// maxEpoch is the last second that all files of a release can store: zip archives count seconds
// in 32 bits. The headers of tar archives end in 2242.
const maxEpoch = 1<<32 - 1

// lastTime is maxEpoch for messages.
var lastTime = time.Unix(maxEpoch, 0).UTC().Format(time.RFC3339)

const epochVariable = "SOURCE_DATE_EPOCH"

// epochText is the value of SOURCE_DATE_EPOCH for a time; "" for the zero time.
func epochText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return strconv.FormatInt(t.Unix(), 10)
}

// environment fills in what comes from environment variables.
func (c *checker) environment(getenv func(string) string) {
	epoch := getenv(epochVariable)
	if epoch == "" {
		return
	}
	n, err := strconv.ParseInt(epoch, 10, 64)
	const remedy = "set it to seconds since 1970, as in $(git log -1 --format=%ct), or unset it"
	switch {
	case errors.Is(err, strconv.ErrRange) && !strings.HasPrefix(epoch, "-") || err == nil && n > maxEpoch:
		c.Usage("SOURCE_DATE_EPOCH %q is after %s, the last time that zip and tar archives can store: %s",
			epoch, lastTime, remedy)
		return
	case errors.Is(err, strconv.ErrRange) || err == nil && n < 0:
		c.Usage("SOURCE_DATE_EPOCH %q is before 1970: %s", epoch, remedy)
		return
	case err != nil:
		c.Usage("SOURCE_DATE_EPOCH %q is not a time: %s", epoch, remedy)
		return
	}
	c.out.Created, c.out.SourceDateEpoch = time.Unix(n, 0).UTC(), true
}

package base

// For the tests of the static base.
const (
	ZoneinfoVersion = zoneinfoVersion
	ZoneinfoSum     = zoneinfoSum
)

// ZoneinfoArchive is the archive of the time zones.
var ZoneinfoArchive = zoneinfoArchive

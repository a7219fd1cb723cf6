package layer

import "time"

// Epoch is the modification time of files in our layers: one second after 1980 began, as the
// Cloud Native Buildpacks set it. It is the same for every version of a product, so that an
// unchanged program keeps its layer's digest; it is not zero, since zip tools and Windows
// explorers show such times as errors.
var Epoch = time.Date(1980, time.January, 1, 0, 0, 1, 0, time.UTC)

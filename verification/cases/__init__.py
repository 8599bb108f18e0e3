"""Cases, in folders by area: a file with a `Case` is enough, nothing lists them (`flexmbs.verification.collection`)."""
